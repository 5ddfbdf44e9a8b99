#include "live/clock.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

struct Hands {
  SystemClock::Steady steady{100s};
  SystemClock::System system{std::chrono::sys_days(std::chrono::year(2026) / 5 / 4)};
  SystemClock clock{{[this] { return steady; }, [this] { return system; }}};

  /// Both go on, and the system's is set by `jump` beside.
  Duration pass(Duration time, Duration jump = Duration::zero()) {
    const Time before = clock.now();
    steady += time;
    system += time + jump;
    return clock.now() - before;
  }
};

TEST(SystemClock, goes_with_the_system) {
  Hands hands;
  EXPECT_EQ(hands.pass(10s), Duration(10s));
  EXPECT_EQ(hands.clock.take_jump(), Duration(0));
}

TEST(SystemClock, follows_a_jump_ahead_and_tells_it_once) {
  Hands hands;
  EXPECT_EQ(hands.pass(1s, 1h), Duration(1h + 1s));
  EXPECT_EQ(hands.clock.take_jump(), Duration(1h));
  EXPECT_EQ(hands.clock.take_jump(), Duration(0));
}

TEST(SystemClock, set_back_it_goes_on_at_half_the_pace_until_it_is_caught_up) {
  Hands hands;
  EXPECT_EQ(hands.pass(10s, -60s), Duration(5s));
  EXPECT_EQ(hands.clock.take_jump(), Duration(-60s));
  EXPECT_EQ(hands.pass(100s), Duration(50s));
  EXPECT_EQ(hands.pass(20s), Duration(15s));  // 5 s behind: after 10 s they are level
  EXPECT_EQ(hands.pass(1s), Duration(1s));
}

TEST(SystemClock, set_back_it_does_not_stand_still_however_often_it_is_asked) {
  Hands hands;
  hands.pass(0s, -60s);
  const Time before = hands.clock.now();
  for (int i = 0; i < 1000; ++i) hands.pass(1ms);
  EXPECT_EQ(hands.clock.now() - before, Duration(500ms));
}

TEST(SystemClock, small_corrections_are_not_worth_telling) {
  Hands hands;
  hands.pass(10s, 3s);
  EXPECT_EQ(hands.clock.take_jump(), Duration(0));
}

}  // namespace
}  // namespace penstock
