#include "serve/page_policy.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(PagePolicy, is_what_the_page_says_and_no_frames) {
  EXPECT_EQ(policy_of_page("<head><meta http-equiv=\"Content-Security-Policy\" "
                           "content=\"default-src 'none'; script-src 'sha256-x='\"><b c=\"d\">"),
            "default-src 'none'; script-src 'sha256-x='; frame-ancestors 'none'");
}

TEST(PagePolicy, lets_nothing_run_in_a_page_that_says_nothing) {
  EXPECT_EQ(policy_of_page("<html>"), kPolicy);
  EXPECT_EQ(policy_of_page(""), kPolicy);
}

}  // namespace
}  // namespace penstock
