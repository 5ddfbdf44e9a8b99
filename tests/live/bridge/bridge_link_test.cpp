#include "live/bridge/bridge_link.h"

#include <gtest/gtest.h>

#include <thread>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// What becomes of one request, within some seconds.
std::optional<BridgeMessage> answer_of(const std::string& script) {
  BridgeLink link({.command = {"/bin/sh", "-c", script}, .timeout = 300ms, .rest = 1h});
  link.do_io(BridgeLink::Steady::now());
  const std::uint64_t id = link.send(bridge::Hello{});
  const auto begun = BridgeLink::Steady::now();
  while (BridgeLink::Steady::now() - begun < 20s) {
    link.do_io(BridgeLink::Steady::now());
    while (auto message = link.next())
      if (message->id == id && message->kind != BridgeMessage::Kind::event) return message;
    std::this_thread::sleep_for(10ms);
  }
  return std::nullopt;
}

TEST(BridgeLink, hears_the_answer) {
  const auto received = answer_of("read line; echo '{\"id\":1,\"ok\":true}'; sleep 30");
  ASSERT_TRUE(received);
  EXPECT_EQ(received->kind, BridgeMessage::Kind::answer);
}

TEST(BridgeLink, one_that_tells_news_and_answers_nothing_hangs) {
  const auto received =
      answer_of("while sleep 0.05; do echo '{\"event\":\"ended\",\"job\":1}'; done");
  ASSERT_TRUE(received);
  EXPECT_EQ(received->kind, BridgeMessage::Kind::lost);
}

}  // namespace
}  // namespace penstock
