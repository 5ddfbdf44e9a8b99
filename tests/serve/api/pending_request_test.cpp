#include "serve/api/pending_request.h"

#include <gtest/gtest.h>

#include <thread>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(Errand, what_was_not_begun_in_time_is_not_done_later) {
  Errand errand;
  EXPECT_EQ(errand.wait({1ms, 10s}).status, 503);
  EXPECT_FALSE(errand.begin());
}

TEST(Errand, what_was_begun_was_called_not_done_and_asked_for_twice) {
  Errand errand;
  EXPECT_TRUE(errand.begin());
  const ApiAnswer answer = errand.wait({1ms, 1ms});
  EXPECT_EQ(answer.status, 504);
  EXPECT_NE(answer.body.find("may have been done"), std::string::npos);
}

TEST(Errand, what_takes_longer_than_its_beginning_may_is_waited_for) {
  Errand errand;
  std::thread other([&] {
    EXPECT_TRUE(errand.begin());
    std::this_thread::sleep_for(50ms);
    errand.give({200, "done"});
    errand.give({200, "done again"});
  });
  EXPECT_EQ(errand.wait({10s, 10s}).body, "done");
  other.join();
}

TEST(Errand, that_was_answered_before_it_was_begun_is_over) {
  Errand errand;
  errand.give(api_error(503, "the daemon is stopping"));
  EXPECT_FALSE(errand.begin());
  EXPECT_EQ(errand.wait({10s, 10s}).status, 503);
}

}  // namespace
}  // namespace penstock
