#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock {

/// Everything that is wrong with one scenario, shown in the order of its lines.
class ProblemList {
 public:
  explicit ProblemList(std::string file) : file_(std::move(file)) {}

  /// "file:line: key: what", or "--set …: key: what" if that is where `node` came
  /// from. Each line of `what` is a problem of its own.
  void add(const toml::node& node, std::string_view key, std::string_view what);
  /// About the scenario as a whole.
  void add(std::string_view what);

  bool empty() const { return problems_.empty(); }
  Error as_error() const;

  /// "file:line", or the override a node came from.
  std::string where(const toml::node& node) const;

 private:
  struct Problem {
    std::size_t line = 0;  ///< 0 if it belongs to none
    std::string text{};
  };
  std::string file_;
  std::vector<Problem> problems_;
};

}  // namespace penstock
