#pragma once

#include <cstdint>
#include <optional>

#include "policy/policy_table.h"

namespace penstock {

// Values of options that are there; errors name the option and say what is possible.

/// A number from 0 up.
Result<double> number_of(const Options& options, std::string_view name);
/// A whole number from `least` up.
Result<std::uint32_t> whole_of(const Options& options, std::string_view name, std::uint32_t least);
/// A length of time above 0.
Result<Duration> duration_of(const Options& options, std::string_view name);
/// The same, or "none".
Result<std::optional<Duration>> duration_or_none(const Options& options, std::string_view name);

}  // namespace penstock
