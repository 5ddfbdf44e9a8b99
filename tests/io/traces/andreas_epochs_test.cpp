#include "io/traces/andreas_epochs.h"

#include <gtest/gtest.h>

#include "io/text/file.h"

namespace penstock {
namespace {

std::string trouble(std::string_view text) {
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
  EXPECT_EQ(trouble("PY,TF\n0.5,1\n0.4,0\n"), "d.csv: PY: probabilities add up to 0.9, not to 1");
  EXPECT_EQ(trouble("PY\n-0.5\n1.5\n"), "d.csv:2: PY: -0.5 is not a probability from 0 to 1");
  EXPECT_EQ(trouble("PY,TF\n1\n"), "d.csv:2: row: has 1 cells, the head has 2");
  EXPECT_EQ(trouble("PY\n"), "d.csv: PY: probabilities add up to 0, not to 1");
  EXPECT_EQ(trouble("PY\nhalf\n").substr(0, 12), "d.csv:2: PY:");
}

}  // namespace
}  // namespace penstock
