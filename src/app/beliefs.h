#pragma once

#include <memory>

#include "app/workload.h"
#include "model/models.h"

namespace penstock {

/// Who tells the policies of one run how jobs scale, as the scenario asks for it.
std::unique_ptr<Learner> make_learner(const Scenario& scenario, const Workload& workload);

}  // namespace penstock
