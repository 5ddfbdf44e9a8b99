#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock {

/// Steps down a gradient, each number by its own measure (Kingma and Ba, arXiv 1412.6980).
class Adam {
 public:
  explicit Adam(std::size_t parameters) : mean_(parameters, 0), square_(parameters, 0) {}

  void step(std::span<float> parameters, std::span<const float> gradient, double rate);

  /// All it remembers, to be saved and to go on from.
  struct Memory {
    std::span<float> mean{};
    std::span<float> square{};
    std::uint64_t& steps;
  };
  Memory memory() { return {mean_, square_, steps_}; }
  std::span<const float> mean() const { return mean_; }
  std::span<const float> square() const { return square_; }
  std::uint64_t steps() const { return steps_; }

 private:
  std::vector<float> mean_;
  std::vector<float> square_;
  std::uint64_t steps_ = 0;
};

/// Scales a gradient down to a length of `most` if it is longer; 0 means any length. Returns how
/// long it was.
double clip_length(std::span<float> gradient, double most);

}  // namespace penstock
