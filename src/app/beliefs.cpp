#include "app/beliefs.h"

#include "fit/refitting.h"
#include "model/models.h"

namespace penstock {

std::unique_ptr<Learner> make_learner(const Scenario& scenario, const Workload& workload) {
  const WorkloadSpec& spec = scenario.workload;
  if (!workload.kinds) return std::make_unique<FixedModels>(Models{});
  const Models& catalogue = workload.kinds->believed();
  if (!spec.refit) return std::make_unique<FixedModels>(catalogue);
  return std::make_unique<Refitting>(spec.guessed ? guess_from_other_kinds(catalogue) : catalogue,
                                     RefittingOptions{.instrument = spec.instrument_spread},
                                     Rng(scenario.seed).stream("instrument"));
}

}  // namespace penstock
