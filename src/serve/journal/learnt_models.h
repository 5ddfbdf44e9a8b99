#pragma once

#include <string>
#include <vector>

#include "live/job/beliefs.h"
#include "serve/journal/journal_reader.h"

namespace penstock {

/// The detail of an entry "models".
std::string learnt_json(const std::vector<LearntProfile>& learnt);
/// What is not understood is passed over.
std::vector<LearntProfile> parse_learnt(const std::string& detail);
/// What the last such entry of a journal says; nothing if there is none.
Result<std::vector<LearntProfile>> read_learnt_models(JournalReader& journal);

/// Puts what was learnt in the place of what it was learnt of, and tells what it could. A profile
/// that has been changed since then counts as it is now.
std::vector<LearntProfile> apply_learnt(const std::vector<LearntProfile>& learnt,
                                        std::vector<Profile>& catalogue);
/// What both say; of the same profile, what the later one does.
std::vector<LearntProfile> merge_learnt(std::vector<LearntProfile> before,
                                        const std::vector<LearntProfile>& after);

}  // namespace penstock
