#pragma once

#include <toml++/toml.h>

#include <string_view>

#include "base/result.h"

namespace penstock {

/// Writes "key.path=value" into a scenario before it is read. The value is TOML;
/// what is not, is text, so quotes may be left out. In a list of tables a step of
/// the path can be a number (from 0) or a table's `name`; otherwise the rest of the
/// path is written into all of them.
Result<Done> apply_override(toml::table& root, std::string_view text);

}  // namespace penstock
