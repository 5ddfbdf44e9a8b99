#include "solve/make_plan.h"

#include "joint/optimise.h"
#include "solve/exact_plan.h"

namespace penstock {

JointResult make_plan(const JointProblem& problem, const JointSettings& settings) {
  return settings.method == JointMethod::exact ? exact_plan(problem, settings)
                                               : optimise(problem, settings);
}

}  // namespace penstock
