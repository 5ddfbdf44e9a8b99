#include "app/sweep_train.h"

namespace penstock {

Result<Done> sweep_trainings(const SweepOptions& /*options*/) {
  return Error{"--train: not yet"};
}

}  // namespace penstock
