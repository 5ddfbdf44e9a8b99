#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace penstock {

/// A task and the tasks it waits for, by index.
struct GraphTask {
  std::string name{};
  std::vector<std::size_t> parents{};
};

/// An order in which every task comes after its parents, otherwise as given. If
/// tasks wait for each other in a circle, the error names them.
Result<std::vector<std::size_t>> parents_first(const std::vector<GraphTask>& tasks);

}  // namespace penstock
