#include "report/measures.h"

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
}  // namespace penstock
