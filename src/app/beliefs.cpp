#include "app/beliefs.h"

#include "fit/refitting.h"
#include "model/guess.h"

namespace penstock {

std::unique_ptr<Learner> make_learner(const Scenario& scenario, const Workload& workload) {
  const WorkloadSpec& spec = scenario.workload;
  if (!workload.kinds) return std::make_unique<Knowing>(Models{});
  const Models& catalogue = workload.kinds->believed();
  if (!spec.refit) return std::make_unique<Knowing>(catalogue);
  return std::make_unique<Refitting>(spec.guessed ? guesses_by_others(catalogue) : catalogue,
                                     RefittingOptions{.instrument = spec.instrument_spread},
                                     Rng(scenario.seed).stream("instrument"));
}

}  // namespace penstock
