#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock {

/// Everything that is wrong with one scenario, in the order in which it was found.
class ProblemList {
 public:
  explicit ProblemList(std::string file) : file_(std::move(file)) {}

  /// "file:line: key: what", or "--set …: key: what" if that is where `node` came
  /// from. Each line of `what` is a problem of its own.
  void add(const toml::node& node, std::string_view key, std::string_view what);
  /// About the scenario as a whole.
  void add(std::string_view what);

  bool empty() const { return lines_.empty(); }
  Error as_error() const;

  /// "file:line", or the override a node came from.
  std::string where(const toml::node& node) const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

}  // namespace penstock
