#pragma once

#include <algorithm>
#include <optional>

#include "model/signal.h"

namespace penstock {

/// What is believed at `issued` about a signal's future. Cheap to make: it
/// only refers to the signal and the rule. Asking about the past or the present
/// gives the truth, which everyone has seen.
template <class Q>
class Forecast {
 public:
  Forecast(const Signal<Q>& truth, Time issued) : truth_(truth), issued_(issued) {}

  Q at(Time t) const { return truth_.at(t); }
  Q mean(Time from, Time to) const { return truth_.mean(from, to); }

 private:
  const Signal<Q>& truth_;
  Time issued_;
};

}  // namespace penstock
