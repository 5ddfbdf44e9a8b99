#include "serve/config/machines.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

SlurmNode node(const char* name, const char* type, std::uint32_t gpus,
               const char* partition = "gpu") {
  return {.name = name, .state = "idle", .gpus = {{type, gpus}}, .partitions = {partition}};
}

TEST(Machines, like_nodes_are_one_group_in_the_order_of_their_first) {
  const auto machines =
      machines_of({node("a", "V100", 4), node("b", "a100", 8), node("c", "v100", 4)}, {}, nullptr);
  EXPECT_EQ(machines.names, (std::vector<std::string>{"a", "c", "b"}));
  ASSERT_EQ(machines.nodes.size(), 2u);
  const toml::table& first = *machines.nodes[0].as_table();
  EXPECT_EQ(first["count"].value<int>(), 2);
  EXPECT_EQ(first["gpus"].value<int>(), 4);
  EXPECT_EQ(first["gpu"].value<std::string>(), "v100");
  EXPECT_TRUE(machines.notes.empty());
}

TEST(Machines, types_are_called_as_the_site_says) {
  SiteOptions options;
  options.gpu_types["tesla"] = "v100";
  const auto machines = machines_of({node("a", "tesla", 4)}, options, nullptr);
  EXPECT_EQ((*machines.nodes[0].as_table())["gpu"].value<std::string>(), "v100");
}

TEST(Machines, what_slurm_does_not_know_is_added_by_type) {
  const toml::table extra = toml::parse("v100 = { base_power = \"300 W\", gpus = 77 }");
  const auto machines = machines_of({node("a", "v100", 4), node("b", "k80", 2)}, {}, &extra);
  const toml::table& first = *machines.nodes[0].as_table();
  EXPECT_EQ(first["base_power"].value<std::string>(), "300 W");
  EXPECT_EQ(first["gpus"].value<int>(), 4);  // Slurm knows that
  EXPECT_FALSE(machines.nodes[1].as_table()->contains("base_power"));
}

TEST(Machines, names_that_no_node_has_were_passed_over_in_silence) {
  const toml::table extra = toml::parse("h900 = {}\nv100 = {}");
  SiteOptions options{.name = "east"};
  options.gpu_types = {{"tesla", "v100"}, {"tasla", "v100"}};
  EXPECT_EQ(machines_of({node("a", "tesla", 4)}, options, &extra).notes,
            (std::vector<std::string>{
                "site 'east': slurm.gpu_types: Slurm calls no GPUs 'tasla'; there are: tesla",
                "site 'east': slurm.machines: no node has GPUs of type 'h900'; there are: v100"}));
}

TEST(Machines, other_partitions_and_mixed_nodes_are_left_out) {
  SiteOptions options;
  options.partitions = {"gpu"};
  SlurmNode mixed = node("m", "v100", 4);
  mixed.gpus.push_back({"a100", 1});
  SlurmNode bare = node("b", "", 0);
  bare.gpus.clear();
  const auto machines = machines_of(
      {node("x", "v100", 4, "cpu"), mixed, bare, node("a", "v100", 0)}, options, nullptr);
  EXPECT_TRUE(machines.names.empty());
  EXPECT_EQ(machines.notes, (std::vector<std::string>{"m is left out: it has GPUs of several types",
                                                      "b is left out: it has no GPUs",
                                                      "a is left out: it has no GPUs"}));
}

}  // namespace
}  // namespace penstock
