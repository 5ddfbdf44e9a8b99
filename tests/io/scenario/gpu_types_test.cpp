// Shared GPUs: `share` of [[site.nodes]], and [workload.sharing].
#include <gtest/gtest.h>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

/// Nodes of two M60 each and jobs drawn for them; `nodes` goes on in line 8.
Result<Scenario> with_sharing(const std::string& nodes, const std::string& rest = "") {
  return parse_scenario(
      "[workload]\ntrace = 'data_2d10d_filtered.csv'\nformat = 'andreas'\n"
      "[[site]]\nname = 'a'\n[[site.nodes]]\ngpu = 'm60'\n" +
          nodes + rest,
      "s.toml", PENSTOCK_ROOT "/data/andreas");
}

std::string sharing_error(const std::string& nodes, const std::string& rest = "") {
  const auto scenario = with_sharing(nodes, rest);
  return scenario ? "no error" : scenario.error().message;
}

const Profile& profile_of(const Scenario& scenario, std::string_view name) {
  for (const Profile& profile : scenario.workload.profiles)
    if (profile.name == name && profile.gpu == "m60") return profile;
  ADD_FAILURE() << name;
  return scenario.workload.profiles.front();
}

TEST(Sharing, makes_several_devices_of_each_gpu) {
  const auto whole = with_sharing("gpus = 2\npower_by_used = ['0 W', '300 W', '400 W']\n");
  const auto shared =
      with_sharing("gpus = 2\nshare = 4\npower_by_used = ['0 W', '300 W', '400 W']\n");
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_TRUE(shared) << shared.error().message;
  EXPECT_EQ(whole->cluster.share, 1u);
  EXPECT_EQ(shared->cluster.share, 4u);
  EXPECT_EQ(shared->cluster.gpu_count(), 8u);
  EXPECT_EQ(shared->cluster.types[0].name, "m60");
  EXPECT_EQ(shared->cluster.types[0].peak * 4, whole->cluster.types[0].peak);
  const auto& power = shared->cluster.node_tables[0].power;
  ASSERT_EQ(power.size(), 9u);
  EXPECT_EQ(power[1], Watts(300));
  EXPECT_EQ(power[4], Watts(300));
  EXPECT_EQ(power[5], Watts(400));
}

TEST(Sharing, leaves_nodes_as_they_are_but_for_their_devices) {
  const auto whole = with_sharing("gpus = 2\n");
  const auto shared = with_sharing("gpus = 2\nshare = 2\n");
  ASSERT_TRUE(whole && shared);
  EXPECT_EQ(shared->cluster.nodes[0].base, whole->cluster.nodes[0].base);
  EXPECT_EQ(shared->cluster.nodes[0].gpus, 4u);
}

TEST(Sharing, counts_models_in_slices) {
  // The smallest of the applications needs 4 GB, half of an M60.
  const auto whole = with_sharing("gpus = 2\n");
  const auto shared = with_sharing("gpus = 2\nshare = 4\n");
  ASSERT_TRUE(whole && shared);
  const Profile& before = profile_of(*whole, "pytorch_alexnet-128");
  const Profile& after = profile_of(*shared, "pytorch_alexnet-128");
  EXPECT_EQ(after.epoch_seconds.size(), before.epoch_seconds.size() * 4);
  EXPECT_EQ(after.epoch_seconds[3], before.epoch_seconds[0]);
  EXPECT_EQ(after.epoch_seconds[1], before.epoch_seconds[0] * 1.05);
  EXPECT_EQ(after.epoch_seconds[0], 0);
  EXPECT_EQ(draw(after, {.gpus = 4}), draw(before, {.gpus = 1}));
}

TEST(Sharing, offers_the_parts_that_have_an_inflation) {
  const auto scenario = with_sharing(
      "gpus = 2\nshare = 8\n", "[workload.sharing]\ninflation = { '0.5' = 2, '0.125' = 3 }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Profile& profile = profile_of(*scenario, "pytorch_alexnet-128");
  EXPECT_EQ(profile.epoch_seconds[3], profile.epoch_seconds[7] * 2);
  EXPECT_EQ(
      sharing_error("gpus = 2\nshare = 2\n", "[workload.sharing]\ninflation = { '0.25' = 2 }\n"),
      "s.toml:11: workload.sharing.inflation.0.25: of a GPU needs nodes with share = 4 or "
      "more; it is 2");
  EXPECT_EQ(
      sharing_error("gpus = 2\nshare = 2\n", "[workload.sharing]\ninflation = { '0.5' = 0.9 }\n"),
      "s.toml:11: workload.sharing.inflation.0.5: must be at least 1, not 0.9");
  EXPECT_EQ(sharing_error("gpus = 2\n", "[workload.sharing]\ninflation = { '0.5' = 1.1 }\n"),
            "s.toml:9: workload.sharing: needs nodes with share = 2, 4 or 8");
}

TEST(Sharing, is_in_powers_of_two_and_the_same_for_all_nodes) {
  EXPECT_EQ(sharing_error("gpus = 2\nshare = 3\n"),
            "s.toml:9: site.nodes.share: must be 1, 2, 4 or 8, not 3");
  EXPECT_EQ(sharing_error("gpus = 2\nshare = 4\n", "[[site.nodes]]\ngpus = 2\ngpu = 'k80'\n"),
            "s.toml:10: site.nodes.share: is 1, but 4 for nodes before; GPUs of a scenario are all "
            "shared alike");
}

TEST(Sharing, needs_jobs_whose_times_are_in_tables) {
  const auto rigid = parse_scenario(
      "[workload]\ntrace = 'philly.csv'\nformat = 'philly'\n"
      "[[site]]\nname = 'a'\n[[site.nodes]]\ngpu = 'k80'\ngpus = 2\nshare = 2\n",
      "t.toml", std::filesystem::path(PENSTOCK_TEST_DIR) / "io/scenario/data");
  ASSERT_FALSE(rigid);
  EXPECT_EQ(rigid.error().message,
            "t.toml:1: workload.profiles: GPUs are shared, so it must be known how long jobs take "
            "on parts of them; possible: nodes with share = 1, format = \"andreas\", or a trace "
            "with models of seconds_per_epoch alone");
}

}  // namespace
}  // namespace penstock
