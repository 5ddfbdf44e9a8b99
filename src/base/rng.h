#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace penstock {

/// A small generator whose every output is fixed by its seed, on any machine.
/// (The standard's engines are portable but its distributions are not.)
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) : state_(seed) {}

  /// An independent stream for one component. Drawing more numbers in one
  /// component never shifts the numbers another one sees.
  constexpr Rng stream(std::string_view name) const {
    std::uint64_t h = 14695981039346656037u;  // FNV-1a
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return Rng(mix(state_ ^ h));
  }
  /// An independent stream for the i-th of many alike components.
  constexpr Rng stream(std::uint64_t i) const {
    return Rng(mix(state_ ^ mix(i + 0x9e3779b97f4a7c15u)));
  }

  /// `Rng(rng.state())` draws what `rng` would draw next.
  constexpr std::uint64_t state() const { return state_; }

  constexpr std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
  /// In [0, 1).
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// In [0, n); `n` must be positive and below 2^53.
  constexpr std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(n));
  }
  double exponential(double mean) { return -mean * std::log1p(-uniform()); }
  /// Box-Muller, one of the pair.
  double normal(double mean, double deviation) {
    const double radius = std::sqrt(-2 * std::log1p(-uniform()));
    return mean + deviation * radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t mix(std::uint64_t z) {  // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace penstock
