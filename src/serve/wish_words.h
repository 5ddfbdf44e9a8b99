#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace penstock {

/// What a user says of a job, as the words of a comment: {"gpus", "1-8"}.
using WishWords = std::vector<std::pair<std::string, std::string>>;

/// "penstock: gpus=1-8 deadline=6h", which read_comment() reads without complaint; empty if nothing
/// is said. The error names every word that is not possible, and what is.
Result<std::string> write_comment(const WishWords& words);

}  // namespace penstock
