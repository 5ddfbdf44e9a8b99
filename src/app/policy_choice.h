#pragma once

#include <string_view>

#include "base/result.h"
#include "io/scenario/scenario.h"

namespace penstock {

/// "fifo" or "fifo:backfill=easy:place=buddy".
Result<PolicyChoice> parse_choice(std::string_view text);

/// Not in the registry: it does again what a journal says was done (policies/recorded.h).
inline constexpr std::string_view kRecordedPolicy = "recorded";

/// Says what is possible, and what was probably meant, if the registry has no such
/// policy or the policy no such option.
Result<Done> check_choice(const PolicyChoice& choice);

}  // namespace penstock
