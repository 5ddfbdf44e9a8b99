#pragma once

#include <filesystem>

namespace penstock {

/// Where the small traces and series of scenario tests lie.
inline const std::filesystem::path kData =
    std::filesystem::path(PENSTOCK_TEST_DIR) / "io/scenario/data";

}  // namespace penstock
