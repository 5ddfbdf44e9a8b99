#pragma once

#include <memory>

#include "joint/settings.h"
#include "policies/andreas/instance.h"

namespace penstock {

struct AndreasOptions {
  JointSettings plan{};
  InstanceSpec instance{};
};

/// ANDREAS (Filippini et al. 2021, 2023): at every event all jobs are planned anew, running ones
/// included. `cluster` must outlive it.
std::unique_ptr<Policy> make_andreas(const Cluster& cluster, const AndreasOptions& options);

}  // namespace penstock
