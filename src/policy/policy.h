#pragma once

#include <span>

#include "model/bill.h"
#include "model/event.h"
#include "model/forecast.h"
#include "model/models.h"
#include "model/state.h"

namespace penstock {

/// All that a policy may know at one instant. Nothing can be changed through it,
/// and the future is in it only as forecasts.
struct View {
  Time now{};
  std::span<const Event> happened{};  ///< since the last decision
  const State& state;
  const Models& models;  ///< how jobs are believed to scale
  const Outlook& outlook;
  const Bill& so_far;               ///< of all sites, until `now`
  std::span<const Bill> by_site{};  ///< the same of each, indexed by SiteId
  bool explain = false;  ///< `Decision::because` is read: add reasons. Nothing else may change
};

/// Decides what to do next. Called after every batch of events; the same views
/// in the same order must give the same decisions. A policy may count on its
/// decisions being carried out unless an event says otherwise.
class Policy {
 public:
  virtual ~Policy() = default;
  virtual Decision decide(const View& view) = 0;
};

}  // namespace penstock
