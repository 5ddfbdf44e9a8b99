#include "live/slurm_backend.h"

#include <gtest/gtest.h>

#include "live/live_world.h"
#include "live/no_chores.h"

namespace penstock {
namespace {

class FullDisk final : public JournalWriter {
 public:
  Result<Done> write(std::span<JournalEntry> /*entries*/, std::span<JournalRequest> /*requests*/,
                     std::span<const JournalAnswer> /*answers*/) override {
    return Error{"the disk is full"};
  }
};

/// Two clusters that both have one node n1, behind bridges that say nothing.
class SlurmBackendTest : public testing::Test {
 protected:
  SlurmBackendTest() { add_site(cluster, "there", {{.count = 1, .gpus = 4, .type = {}}}); }
  std::vector<SlurmBackend::SiteSetup> sites() const {
    std::vector<SlurmBackend::SiteSetup> all(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      all[i].options.name = i == 0 ? "here" : "there";
      all[i].options.site = SiteId{i};
      all[i].options.nodes = {"n1"};
      all[i].bridge.command = {"true"};
      all[i].permissions = &permissions;
    }
    return all;
  }

  Cluster cluster = small_cluster(1);
  LiveBeliefs beliefs{{}, cluster, false};
  FullDisk journal_writer;
  SystemClock clock;
  NoChores chores;
  const SitePermissions permissions{};
};

TEST_F(SlurmBackendTest, agents_of_two_clusters_with_a_node_of_one_name_overwrote_each_other) {
  SlurmBackend backend(sites(), {cluster, beliefs, journal_writer, clock, chores});
  backend.agents(0).take("n1", {.when = kNoon, .gpus = {{0, {.power = Watts(300)}}}});
  backend.agents(1).take("n1", {.when = kNoon, .gpus = {{0, {.power = Watts(100)}}}});
  const std::vector<SlurmJob::Held> held{{.node = "n1", .indices = {0}}};
  EXPECT_EQ(backend.agents(0).draw(held, {kNoon, kNoon}), Watts(300));
  EXPECT_EQ(backend.agents(1).draw(held, {kNoon, kNoon}), Watts(100));
}

TEST_F(SlurmBackendTest, a_node_that_could_not_be_told_to_sleep_was_billed_as_asleep) {
  SlurmBackend backend(sites(), {cluster, beliefs, journal_writer, clock, chores});
  const State state(cluster, {}, clock.now());
  backend.execute(Sleep{NodeId{1}}, state);
  Batch batch;
  ASSERT_TRUE(backend.wait(std::nullopt, batch));
  ASSERT_EQ(batch.events.size(), 1u);  // once the cluster answers, it can work again
  EXPECT_TRUE(std::holds_alternative<NodeFailed>(batch.events.front()));
}

}  // namespace
}  // namespace penstock
