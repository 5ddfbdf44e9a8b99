#pragma once

#include <string>

#include "engine/backend.h"
#include "engine/ledger.h"
#include "model/record.h"

namespace penstock {

/// Someone who looks on while a run goes by.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `batch` is about to be applied; `state` and `ledger` show what held until then.
  virtual void before(const Batch& batch, const State& state, const Ledger& ledger) = 0;
  virtual void decided(Time now, const Decision& decision, const State& state) = 0;
  virtual void ended(const JobRecord& record) = 0;
  /// What a job held has changed or was given back; `ended` comes after the last of a job.
  virtual void stretched(const Stretch& /*stretch*/) {}
  /// Of the last decision, an action that is not carried out.
  virtual void refused(Time /*now*/, const Action& /*action*/, const std::string& /*why*/) {}
};

}  // namespace penstock
