#include "live/slurm_backend.h"

#include <gtest/gtest.h>

#include "live/live_world.h"

namespace penstock {
namespace {

class NoScribe final : public Scribe {
 public:
  Result<Done> write(std::span<JournalEntry> /*entries*/, std::span<JournalRequest> /*requests*/,
                     std::span<const JournalAnswer> /*answers*/) override {
    return Done{};
  }
};

class NoChores final : public Housekeeping {
 public:
  bool tick(Time /*now*/) override { return false; }
  void journal_failed(const std::string& /*why*/) override {}
  void journal_works() override {}
};

TEST(SlurmBackend, agents_of_two_clusters_with_a_node_of_one_name_overwrote_each_other) {
  Cluster cluster = small_cluster(1);
  add_site(cluster, "there", {{.count = 1, .gpus = 4, .type = {}}});
  LiveBeliefs beliefs{{}, cluster, false};
  NoScribe scribe;
  SystemClock clock;
  NoChores chores;
  const Wheel wheel;
  std::vector<SlurmBackend::SiteSetup> sites(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    sites[i].options.name = i == 0 ? "here" : "there";
    sites[i].options.site = SiteId{i};
    sites[i].options.nodes = {"n1"};
    sites[i].bridge.command = {"true"};  // never started: nobody attends to it
    sites[i].wheel = &wheel;
  }
  SlurmBackend backend(std::move(sites), {cluster, beliefs, scribe, clock, chores});
  backend.agents(0).take("n1", {.when = kNoon, .gpus = {{0, {.power = Watts(300)}}}});
  backend.agents(1).take("n1", {.when = kNoon, .gpus = {{0, {.power = Watts(100)}}}});
  const std::vector<SlurmJob::Held> held{{.node = "n1", .indices = {0}}};
  EXPECT_EQ(backend.agents(0).draw(held, {kNoon, kNoon}), Watts(300));
  EXPECT_EQ(backend.agents(1).draw(held, {kNoon, kNoon}), Watts(100));
}

}  // namespace
}  // namespace penstock
