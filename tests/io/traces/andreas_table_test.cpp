#include "io/traces/andreas_table.h"

#include <gtest/gtest.h>

#include "io/text/file.h"

namespace penstock {
namespace {

AndreasTable shipped_andreas_table(const char* name) {
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
  const AndreasTable table = shipped_andreas_table("data_server.csv");
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
  const AndreasTable table = shipped_andreas_table("data_2d10d_filtered.csv");
  EXPECT_EQ(table.jobs.size(), 15u);
  ASSERT_EQ(table.kinds.size(), 4u);
  const AndreasKind& kind = table.kinds[table.jobs[0].kind];
  EXPECT_EQ(kind.times.size(), 32u);
  EXPECT_EQ(kind.name, "pytorch_alexnet-128");
  EXPECT_EQ(kind.memory_gib, 4);
}

TEST(AndreasTable, takes_the_middle_one_of_times_that_differ_and_says_so) {
  // 500 epochs of J1 take a third of the time that others do on 6 Quadro P600: a slip.
  const AndreasTable table = shipped_andreas_table("data_2d10d_filtered.csv");
  EXPECT_EQ(table.notes,
            std::vector<std::string>{"pytorch_alexnet-128 on 6 Quadro P600: an epoch takes 39.1702 "
                                     "to 141.726 s; taken as 141.716 s"});
}

TEST(AndreasTable, becomes_a_profile_for_each_kind_and_gpu_type) {
  const auto profiles = andreas_profiles(shipped_andreas_table("data_server.csv"), ten_nodes());
  ASSERT_EQ(profiles.size(), 8u);
  EXPECT_EQ(profiles[0].name, "LSTMbig");
  EXPECT_EQ(profiles[0].gpu, "tesla");
  EXPECT_EQ(profiles[0].epoch_seconds, (std::vector{43.0842, 30.5512}));
  EXPECT_EQ(draw(profiles[0], {.gpus = 2}), Watts(340));
  EXPECT_EQ(profiles[1].gpu, "Turing");
  EXPECT_EQ(profiles[1].epoch_seconds, std::vector{110.7112});
}

TEST(AndreasFit, holds_what_the_machines_can_run) {
  const AndreasTable table = shipped_andreas_table("data_server.csv");
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
  const AndreasTable table = shipped_andreas_table("data_server.csv");
  EXPECT_EQ(fit_to_cluster(table.kinds[0], cluster).least, 43.0842);
  EXPECT_EQ(fit_to_cluster(table.kinds[0], cluster).most, 43.0842);
  cluster.types[1].name = "a100";
  EXPECT_FALSE(fit_to_cluster(table.kinds[0], cluster).runs());
}

std::string andreas_epochs_error(std::string_view text) {
  const auto families = parse_epochs(text, "d.csv");
  return families ? "no error" : families.error().message;
}

TEST(AndreasEpochs, are_a_column_for_each_family_and_a_row_for_each_part) {
  const auto families = parse_epochs("\xEF\xBB\xBFPY,PY_vgg\r\n0,0.5\r\n1,0.5\r\n", "d.csv");
  ASSERT_TRUE(families) << families.error().message;
  ASSERT_EQ(families->size(), 2u);
  EXPECT_EQ((*families)[0].name, "PY");
  EXPECT_DOUBLE_EQ((*families)[0].needed.above(0.5), 1);
  EXPECT_DOUBLE_EQ((*families)[0].needed.above(0.75), 0.5);
  EXPECT_DOUBLE_EQ((*families)[1].needed.above(0.5), 0.5);
}

TEST(AndreasEpochs, of_the_published_file_end_at_the_most_epochs) {
  const auto text = read_file(PENSTOCK_ROOT "/data/andreas/distributions.csv");
  ASSERT_TRUE(text);
  const auto families = parse_epochs(*text, "distributions.csv");
  ASSERT_TRUE(families) << families.error().message;
  ASSERT_EQ(families->size(), 6u);
  for (const EpochFamily& family : *families) {
    EXPECT_EQ(family.needed.most(), 1) << family.name;
    EXPECT_EQ(family.needed.above(0.1), 1) << family.name;
  }
  EXPECT_NEAR((*families)[0].needed.above(0.99), 0.12037037, 1e-6) << "TF_alexnet";
}

TEST(AndreasEpochs, belong_to_applications_by_framework_and_network) {
  const auto families = parse_epochs("TF_alexnet,PY,PY_alexnet,PY_mobilnet\n1,1,1,1\n", "d.csv");
  ASSERT_TRUE(families);
  const auto family = [&](std::string_view application) {
    return (*families)[*family_of(application, *families)].name;
  };
  EXPECT_EQ(family("pytorch_alexnet-128"), "PY_alexnet");
  EXPECT_EQ(family("tf_AlexNet"), "TF_alexnet");
  EXPECT_EQ(family("MobileNet"), "PY_mobilnet");
  EXPECT_EQ(family("LSTMbig"), "PY");
  EXPECT_EQ(family("tensorflow_vgg"), "PY") << "there is no family of all of TF";
  const auto none = family_of("LSTMbig", {{.name = "TF_alexnet"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "has no family for 'LSTMbig'; there are: TF_alexnet");
}

TEST(AndreasEpochs, are_probabilities_that_add_up_to_one) {
  EXPECT_EQ(andreas_epochs_error("PY,TF\n0.5,1\n0.4,0\n"),
            "d.csv: PY: probabilities add up to 0.9, not to 1");
  EXPECT_EQ(andreas_epochs_error("PY\n-0.5\n1.5\n"),
            "d.csv:2: PY: -0.5 is not a probability from 0 to 1");
  EXPECT_EQ(andreas_epochs_error("PY,TF\n1\n"), "d.csv:2: row: has 1 cells, the head has 2");
  EXPECT_EQ(andreas_epochs_error("PY\n"), "d.csv: PY: probabilities add up to 0, not to 1");
  EXPECT_EQ(andreas_epochs_error("PY\nhalf\n").substr(0, 12), "d.csv:2: PY:");
}

}  // namespace
}  // namespace penstock
