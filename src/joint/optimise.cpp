#include "joint/optimise.h"
namespace penstock {
JointResult optimise(const JointProblem&, const JointSettings&) { return {}; }
}  // namespace penstock
