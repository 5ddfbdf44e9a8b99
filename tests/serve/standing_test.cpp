#include "serve/standing.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Standing, lasts_until_it_changes) {
  Standing standing;
  EXPECT_FALSE(standing.since());
  standing.see(false, Time(Duration(1)));
  standing.see(false, Time(Duration(2)));
  EXPECT_EQ(standing.since(), Time(Duration(1)));
  standing.see(true, Time(Duration(3)));
  standing.see(true, Time(Duration(4)));
  EXPECT_EQ(standing.since(), Time(Duration(3)));
}

}  // namespace
}  // namespace penstock
