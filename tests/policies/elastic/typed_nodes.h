#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/world.h"

namespace penstock {

/// Nodes of some GPU types, one node each; a restart takes 30 s. Speed grows with GPUs without
/// loss, and is given by kind and type.
class TypedNodes : public testing::Test {
 protected:
  struct TypeNode {
    const char* type = "";
    std::uint32_t gpus = 1;
  };
  /// The types are numbered in this order.
  void build(const std::vector<TypeNode>& nodes) {
    world = {};
    world.signals.resize(1);
    world.forecasts.resize(1);
    std::vector<NodeGroup> groups;
    for (const TypeNode& node : nodes) {
      groups.push_back({.count = 1,
                        .gpus = node.gpus,
                        .type = {static_cast<std::uint32_t>(world.cluster.types.size())}});
      world.cluster.types.push_back({.name = node.type, .idle = Watts(50), .peak = Watts(400)});
    }
    add_site(world.cluster, "here", groups);
    world.models = Models(world.cluster.types.size());
    world.costs.restart = std::chrono::seconds(30);
  }
  /// Works so many samples a second on one GPU of each type; types that are absent do not know it.
  KindId add_kind(const std::map<std::string, double>& speeds, std::uint32_t gpus_most) {
    const KindId kind = world.models.add_kind();
    for (std::uint32_t i = 0; i < world.cluster.types.size(); ++i)
      if (const auto speed = speeds.find(world.cluster.types[i].name); speed != speeds.end())
        world.models.set(kind, GpuTypeId{i},
                         {.speed = {.beta_c = 1 / speed->second},
                          .batch = {.least = 8, .most = 8, .local_most = 8},
                          .gpus_most = gpus_most});
    return kind;
  }
  void submit(double when, KindId kind, double work, std::uint32_t gpus = 1) {
    add_job(world, {.submitted = when, .gpus = gpus, .requested = work, .actual = work});
    Job& job = world.jobs.back().job;
    job.kind_id = kind;
    job.batch = 8;
    job.work = world.jobs.back().work = Work(work);
  }
  std::vector<RunSegment> stays(const RunLog& log, std::uint32_t job) const {
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    return replay.stays_of(JobId{job});
  }
  std::string type_of(const RunSegment& stay) const {
    return world.cluster.type(world.cluster.node(stay.where.front().first)).name;
  }
  double from(const RunSegment& stay) const { return seconds(stay.from - world.start()); }

  World world;
};

}  // namespace penstock
