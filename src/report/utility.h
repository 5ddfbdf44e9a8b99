#pragma once

#include "model/costs.h"
#include "report/run_summary.h"

namespace penstock {

/// Fills the utility of a run and its terms: cost and carbon relative to those of `local`, a run
/// in which jobs stayed at home; transfers relative to the same cost, as nothing is sent there.
/// A term is absent if its reference is not above 0, and then the utility is.
void fill_utility(RunSummary& run, const RunSummary& local, const UtilityWeights& weights);

}  // namespace penstock
