#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/survival.h"

namespace penstock {

/// How much of its stated epochs a family of applications needs, in parts of them.
struct EpochFamily {
  std::string name{};  ///< "PY_alexnet"
  Survival needed = Survival::certain(1);
};

/// Reads a column for each family; row i of n is the probability of i/n to (i + 1)/n.
Result<std::vector<EpochFamily>> parse_epochs(std::string_view text, const std::string& file);

/// The place of the family of an application: by its framework (TF for names that begin with tf
/// or tensorflow, else PY) and network, else by its framework, else PY. The error lists those that
/// there are.
Result<std::size_t> family_of(std::string_view application,
                              const std::vector<EpochFamily>& families);

}  // namespace penstock
