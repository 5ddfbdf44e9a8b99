#pragma once

#include <string>
#include <vector>

#include "journal/journal_reader.h"
#include "model/models.h"

namespace penstock {

/// The detail of an entry "models".
std::string learnt_json(const std::vector<LearntProfile>& learnt);
/// Ignores what it cannot parse.
std::vector<LearntProfile> parse_learnt(const std::string& detail);
/// What the last such entry of a journal says; nothing if there is none.
Result<std::vector<LearntProfile>> read_learnt_models(JournalReader& journal);

/// Replaces profiles of the catalogue by what was learnt of them, and returns those that it
/// replaced. A profile that has been edited since then is kept.
std::vector<LearntProfile> apply_learnt(const std::vector<LearntProfile>& learnt,
                                        std::vector<Profile>& catalogue);
/// The union of both; of the same profile, the later one.
std::vector<LearntProfile> merge_learnt(std::vector<LearntProfile> before,
                                        const std::vector<LearntProfile>& after);

}  // namespace penstock
