#pragma once

#include <toml++/toml.h>

#include "io/scenario/scenario.h"

namespace penstock {

/// A scenario whose jobs come from elsewhere: `[workload]`, if there is one, names no source.
/// `file` is what messages call it; paths in it begin at `dir`.
Result<Scenario> scenario_without_jobs(const toml::table& table, const std::string& file,
                                       const std::filesystem::path& dir, const PolicyCheck& check);

}  // namespace penstock
