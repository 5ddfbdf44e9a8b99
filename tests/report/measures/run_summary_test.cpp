#include "report/measures/run_summary.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace penstock {
namespace {

template <class Of>
void expect_rows(const std::string& page, std::span<const SummaryMeasure<Of>> measures) {
  std::set<std::string_view> names;
  for (const SummaryMeasure<Of>& m : measures) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name << " is there twice";
    const std::string row = "| `" + std::string(m.name) + "` | " + std::string(m.unit) + " | " +
                            std::string(m.definition) + " |";
    EXPECT_NE(page.find(row), std::string::npos) << "docs/formats/output.md lacks\n" << row;
  }
}

TEST(Measures, are_documented_in_the_words_that_define_them) {
  std::ostringstream page;
  page << std::ifstream(PENSTOCK_ROOT "/docs/formats/output.md").rdbuf();
  expect_rows(page.str(), run_measures());
  expect_rows(page.str(), site_measures());
}

TEST(Measures, are_defined_in_whole_sentences) {
  for (const auto& m : run_measures()) EXPECT_TRUE(m.definition.ends_with('.')) << m.name;
  for (const auto& m : site_measures()) EXPECT_TRUE(m.definition.ends_with('.')) << m.name;
}

TEST(Measures, are_found_by_their_field) {
  EXPECT_EQ(measure_of(&RunSummary::carbon_kg).name, "carbon_kg");
}

}  // namespace

namespace {

Cluster two_types() {
  Cluster cluster;
  cluster.types = {{.name = "a100"}, {.name = "t4"}};
  return cluster;
}

using Runs = std::vector<NodeRun>;

TEST(NodeRuns, say_how_many_nodes_of_a_kind_follow_each_other) {
  Cluster cluster = two_types();
  add_site(cluster, "north", {{.count = 3, .gpus = 8}, {.count = 2, .gpus = 4, .type = {1}}});
  add_site(cluster, "south", {{.count = 1, .gpus = 2, .type = {1}}});
  EXPECT_EQ(node_runs(cluster, SiteId{0}), (Runs{{3, 8, "a100", 3}, {2, 4, "t4", 2}}));
  EXPECT_EQ(node_runs(cluster, SiteId{1}), (Runs{{1, 2, "t4", 1}}));
}

TEST(NodeRuns, say_how_many_nodes_share_a_switch) {
  Cluster cluster = two_types();
  add_site(cluster, "north", {{.count = 10, .gpus = 8, .rack = 4}, {.count = 4, .gpus = 8}});
  EXPECT_EQ(node_runs(cluster, SiteId{0}), (Runs{{10, 8, "a100", 4}, {4, 8, "a100", 4}}));
}

TEST(NodeRuns, join_like_groups_whose_switches_are_full) {
  Cluster cluster = two_types();
  add_site(cluster, "north", {{.count = 8, .gpus = 8, .rack = 4}, {.count = 3, .gpus = 8}});
  EXPECT_EQ(node_runs(cluster, SiteId{0}), (Runs{{11, 8, "a100", 4}}));
}

}  // namespace

}  // namespace penstock
