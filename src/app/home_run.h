#pragma once

#include <vector>

#include "app/run_one.h"

namespace penstock {

/// The run that utilities are relative to: with the site policy of `first`, the first policy of a
/// combination, but everybody stays at home.
Result<RunSummary> run_at_home(const Prepared& prepared, const PolicyChoice& first);

/// Utilities of runs over sites whose jobs have homes. Runs of one combination share the
/// reference, which is that of the first; it is run if it is not among them.
Result<Done> add_utilities(const std::vector<RunRequest>& runs, std::vector<RunSummary>& summaries);

}  // namespace penstock
