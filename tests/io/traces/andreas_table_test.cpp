#include "io/traces/andreas_table.h"

#include <gtest/gtest.h>

#include "io/text/file.h"

namespace penstock {
namespace {

AndreasTable shipped(const char* name) {
  const auto text = read_file(std::string(PENSTOCK_ROOT "/data/andreas/") + name);
  auto table = parse_andreas(*text, name);
  EXPECT_TRUE(table) << table.error().message;
  return table ? *std::move(table) : AndreasTable{};
}

/// Five nodes of four TESLA, by another case, and five of two TURING.
Cluster ten_nodes() {
  Cluster cluster;
  cluster.types = {{.name = "tesla", .peak = Watts(170)}, {.name = "Turing", .peak = Watts(70)}};
  add_site(cluster, "here",
           {{.count = 5, .gpus = 4, .type = {0}}, {.count = 5, .gpus = 2, .type = {1}}});
  return cluster;
}

TEST(AndreasTable, of_servers_names_kinds_by_application) {
  const AndreasTable table = shipped("data_server.csv");
  EXPECT_EQ(table.jobs.size(), 10u);
  ASSERT_EQ(table.kinds.size(), 4u);
  EXPECT_EQ(table.kinds[0].name, "LSTMbig");
  ASSERT_EQ(table.kinds[0].times.size(), 3u);
  EXPECT_EQ(table.kinds[0].times[1].seconds, 30.5512);
  EXPECT_EQ(table.jobs[9].epochs, 160);
  EXPECT_EQ(table.kinds[table.jobs[9].kind].name, "convolutionNet");
  EXPECT_TRUE(table.notes.empty());
}

TEST(AndreasTable, of_the_cloud_names_kinds_by_application_and_batch) {
  const AndreasTable table = shipped("data_2d10d_filtered.csv");
  EXPECT_EQ(table.jobs.size(), 15u);
  ASSERT_EQ(table.kinds.size(), 4u);
  const AndreasKind& kind = table.kinds[table.jobs[0].kind];
  EXPECT_EQ(kind.times.size(), 32u);
  EXPECT_EQ(kind.name, "pytorch_alexnet-128");
  EXPECT_EQ(kind.memory_gib, 4);
}

TEST(AndreasTable, takes_the_middle_one_of_times_that_differ_and_says_so) {
  // 500 epochs of J1 take a third of the time that others do on 6 Quadro P600: a slip.
  const AndreasTable table = shipped("data_2d10d_filtered.csv");
  EXPECT_EQ(table.notes,
            std::vector<std::string>{"pytorch_alexnet-128 on 6 Quadro P600: an epoch takes 39.1702 "
                                     "to 141.726 s; taken as 141.716 s"});
}

TEST(AndreasTable, becomes_a_profile_for_each_kind_and_gpu_type) {
  const auto profiles = andreas_profiles(shipped("data_server.csv"), ten_nodes());
  ASSERT_EQ(profiles.size(), 8u);
  EXPECT_EQ(profiles[0].name, "LSTMbig");
  EXPECT_EQ(profiles[0].gpu, "tesla");
  EXPECT_EQ(profiles[0].epoch_seconds, (std::vector{43.0842, 30.5512}));
  EXPECT_EQ(draw(profiles[0], {.gpus = 2}), Watts(340));
  EXPECT_EQ(profiles[1].gpu, "Turing");
  EXPECT_EQ(profiles[1].epoch_seconds, std::vector{110.7112});
}

TEST(AndreasFit, holds_what_the_machines_can_run) {
  const AndreasTable table = shipped("data_server.csv");
  const AndreasFit fit = fit_to_cluster(table.kinds[0], ten_nodes());
  EXPECT_EQ(fit.types, (std::vector{GpuTypeId{0}, GpuTypeId{1}}));
  EXPECT_EQ(fit.gpus, 1u);
  EXPECT_EQ(fit.asked, 43.0842);
  EXPECT_EQ(fit.single, 43.0842);
  EXPECT_EQ(fit.least, 30.5512);
  EXPECT_EQ(fit.most, 110.7112);
}

TEST(AndreasFit, leaves_out_more_gpus_than_a_node_has_and_types_that_are_not_there) {
  Cluster cluster;
  cluster.types = {{.name = "turing"}, {.name = "TESLA"}};
  add_site(cluster, "here", {{.count = 1, .gpus = 1, .type = {1}}});
  const AndreasTable table = shipped("data_server.csv");
  EXPECT_EQ(fit_to_cluster(table.kinds[0], cluster).least, 43.0842);
  EXPECT_EQ(fit_to_cluster(table.kinds[0], cluster).most, 43.0842);
  cluster.types[1].name = "a100";
  EXPECT_FALSE(fit_to_cluster(table.kinds[0], cluster).runs());
}

}  // namespace
}  // namespace penstock
