#pragma once

#include <string>

#include "engine/backend.h"
#include "engine/ledger.h"
#include "model/record.h"

namespace penstock {

/// Is informed of every batch, decision and ended job of a run; changes nothing.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `batch` is about to be applied; `state` and `ledger` show what held until then.
  virtual void before(const Batch& batch, const State& state, const Ledger& ledger) = 0;
  virtual void decided(Time now, const Decision& decision, const State& state) = 0;
  virtual void ended(const JobRecord& record) = 0;
  /// A stretch of a job is over; ended() follows the last one.
  virtual void stretched(const Stretch& /*stretch*/) {}
  /// An action of the last decision was refused.
  virtual void refused(Time /*now*/, const Action& /*action*/, const std::string& /*why*/) {}
};

}  // namespace penstock
