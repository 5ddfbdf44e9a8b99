#pragma once

#include <functional>
#include <string>

#include "io/scenario/scenario.h"
#include "journal/journal.h"
#include "serve/api/api.h"
#include "serve/config/config.h"
#include "serve/control/activation_control.h"
#include "serve/control/daemon_observer.h"
#include "serve/control/metrics.h"
#include "serve/http/event_feed.h"

namespace penstock {

/// The parts of a daemon that its API shows and changes. All must outlive the API.
struct ApiDependencies {
  SlurmBackend& backend;
  ActivationControl& control;
  const DaemonObserver& observer;
  Journal& journal;
  const Scenario& scenario;
  const ServeConfig& config;
  EventFeed& feed;
  DaemonMetrics& metrics;
  std::string version{};
  PolicyChoice policy{};
  Time since{};                                                ///< when the daemon began
  std::function<ApiResponse(const std::string& body)> plan{};  ///< as `penstock plan`
  std::function<ApiResponse()> savings{};                      ///< may take its time
};

}  // namespace penstock
