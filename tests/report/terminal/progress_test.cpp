#include "report/terminal/progress.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(Progress, fills_a_bar_on_a_terminal) {
  Progress progress("fifo", {.terminal = true, .width = 100});
  EXPECT_EQ(progress.update({.done = 41000, .total = 82000, .elapsed = 2s}),
            "\rfifo [############............]  50 % 41,000 of 82,000 jobs, 20,500 jobs/s, 2 s left"
            "\x1b[K");
  EXPECT_EQ(progress.finish(), "\r\x1b[K");
}

TEST(Progress, never_wraps_a_terminal_line) {
  Progress progress("fifo", {.terminal = true, .width = 20});
  EXPECT_EQ(progress.update({.done = 1, .total = 2, .elapsed = 1s}), "\rfifo [############…\x1b[K");
}

TEST(Progress, says_a_line_every_five_seconds_elsewhere) {
  Progress progress("fifo", {});
  EXPECT_EQ(progress.update({.done = 1, .total = 100, .elapsed = 4999ms}), std::nullopt);
  EXPECT_EQ(progress.update({.done = 20, .total = 100, .elapsed = 5s}),
            "fifo: 20 %, 20 of 100 jobs, 4.0 jobs/s, 20 s left\n");
  EXPECT_EQ(progress.update({.done = 30, .total = 100, .elapsed = 9s}), std::nullopt);
  EXPECT_NE(progress.update({.done = 40, .total = 100, .elapsed = 10s}), std::nullopt);
  EXPECT_EQ(progress.finish(), "");
}

TEST(Progress, does_not_guess_the_end_of_what_it_cannot_know) {
  Progress progress("reading", {.things = "rows"});
  EXPECT_EQ(progress.update({.done = 6000, .elapsed = 6s}), "reading: 6,000 rows, 1,000 rows/s\n");
  EXPECT_EQ(progress.update({.done = 0, .total = 0, .elapsed = 12s}),
            "reading: 0 %, 0 of 0 rows\n");
}

}  // namespace

}  // namespace penstock
