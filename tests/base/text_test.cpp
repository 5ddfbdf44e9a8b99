#include "base/text.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(LowerCase, changes_the_letters_a_to_z_alone) {
  EXPECT_EQ(lower_case("ResNet-50 @[`{AZaz"), "resnet-50 @[`{azaz");
  EXPECT_EQ(lower_case("\xC3\x84"), "\xC3\x84") << "no letter of other alphabets";
  EXPECT_EQ(lower_case(""), "");
}

}  // namespace
}  // namespace penstock
