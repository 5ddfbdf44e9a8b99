#pragma once

#include <filesystem>
#include <optional>

#include "serve/api_source.h"
#include "serve/journal_reader.h"

namespace penstock {

/// The page of what was decided, or would have been, the latest first; about one job, if it is
/// named. Reads the file, and asks nobody.
ApiAnswer decisions_page(const std::filesystem::path& journal, const ApiLook& look,
                         const std::optional<NumberedJob>& about);

}  // namespace penstock
