#include "serve/control/activation_control.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using Texts = std::vector<std::string>;

TEST(JointReasons, did_not_say_which_site_they_were_about) {
  EXPECT_EQ(merge_site_reasons({{"east", {"paused", "no prices"}},
                                {"west", {"paused"}},
                                {"north", {"no prices", "paused"}}}),
            (Texts{"paused", "east, north: no prices"}));
}

TEST(JointReasons, that_begin_with_the_site_need_not_name_it_again) {
  EXPECT_EQ(merge_site_reasons({{"east", {"east does not answer"}}, {"west", {}}}),
            Texts{"east does not answer"});
}

TEST(JointReasons, of_one_site_need_no_name) {
  EXPECT_EQ(merge_site_reasons({{"east", {"paused", "no prices"}}}),
            (Texts{"paused", "no prices"}));
  EXPECT_EQ(merge_site_reasons({{"east", {}}, {"west", {}}}), Texts{});
}

}  // namespace
}  // namespace penstock
