#include "serve/api/pending_request.h"

#include <gtest/gtest.h>

#include <thread>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(PendingRequest, what_was_not_begun_in_time_is_not_done_later) {
  PendingRequest request;
  EXPECT_EQ(request.wait({1ms, 10s}).status, 503);
  EXPECT_FALSE(request.begin());
}

TEST(PendingRequest, what_was_begun_was_called_not_done_and_asked_for_twice) {
  PendingRequest request;
  EXPECT_TRUE(request.begin());
  const ApiResponse answer = request.wait({1ms, 1ms});
  EXPECT_EQ(answer.status, 504);
  EXPECT_NE(answer.body.find("may have been done"), std::string::npos);
}

TEST(PendingRequest, what_takes_longer_than_its_beginning_may_is_waited_for) {
  PendingRequest request;
  std::thread other([&] {
    EXPECT_TRUE(request.begin());
    std::this_thread::sleep_for(50ms);
    request.respond({200, "done"});
    request.respond({200, "done again"});
  });
  EXPECT_EQ(request.wait({10s, 10s}).body, "done");
  other.join();
}

TEST(PendingRequest, that_was_answered_before_it_was_begun_is_over) {
  PendingRequest request;
  request.respond(api_error(503, "the daemon is stopping"));
  EXPECT_FALSE(request.begin());
  EXPECT_EQ(request.wait({10s, 10s}).status, 503);
}

}  // namespace
}  // namespace penstock
