#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/measurements.h"

namespace penstock {

/// Reads files and, recursively, folders of measurements; what each file is shows in its
/// head. Known: ElasticFlow's throughput tables, Pollux's placements, scalability and
/// validation, Gavel's throughputs, Zeus's power tables, Perseus's stage profiles and fronts.
/// Packed
/// (.gz) or not. Files in folders that are none of these are passed over with a note; a
/// named one is refused, and so is a cell that no measurement could give, by
/// "file:line: column: …". `notes` says what was passed over and how much was not measured.
Result<Measurements> read_measurements(const std::vector<std::filesystem::path>& paths,
                                       std::vector<std::string>& notes);

}  // namespace penstock
