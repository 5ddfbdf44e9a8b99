#include "agent/guard.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "agent/fake_gpus.h"

namespace penstock::agent {
namespace {

using namespace std::chrono_literals;

void sleep_long() {
  std::this_thread::sleep_for(std::chrono::minutes(5));
}

class AgentGuard : public testing::Test {
 protected:
  /// Runs a guard in a process of its own; what it does is written down in `log`.
  std::optional<int> run(const Guard::Work& work, const Guard::Cleanup& clean_up,
                         Duration timeout = 30s) const {
    return run_in_child(
        [&] {
          Guard guard({.timeout = timeout, .log = [](Level, const std::string&) {}}, work,
                      clean_up);
          return guard.run();
        },
        1min);
  }
  void note(char what) const { std::ofstream(path(), std::ios::app) << what; }
  std::string log() const { return text_of(path()); }
  std::string path() const { return folder_.folder() + "/log"; }

  FakeGpus folder_;
};

TEST_F(AgentGuard, ends_with_a_worker_that_ends_well_or_finds_nothing) {
  EXPECT_EQ(run([](const GuardPipes&) { return kEnded; }, [] { return kEnded; }), kEnded);
  EXPECT_EQ(run([](const GuardPipes&) { return kNothingHere; }, [] { return kEnded; }),
            kNothingHere);
}

TEST_F(AgentGuard, rescues_after_a_worker_that_dies_and_starts_another) {
  const auto work = [this](const GuardPipes&) {
    note('w');
    if (log() == "w") raise(SIGKILL);
    return kEnded;
  };
  EXPECT_EQ(run(work, [this] { return note('r'), kEnded; }), kEnded);
  EXPECT_EQ(log(), "wrw");
}

TEST_F(AgentGuard, kills_a_worker_that_hangs_and_gives_up_a_rescue_that_does) {
  const auto work = [this](const GuardPipes&) {
    note('w');
    if (log() == "w") sleep_long();
    return kEnded;
  };
  const auto hang = [this] {
    note('r');
    sleep_long();
    return kEnded;
  };
  EXPECT_EQ(run(work, hang, 500ms), kEnded);
  EXPECT_EQ(log(), "wrw");
}

TEST_F(AgentGuard, asked_to_end_asks_its_worker) {
  const auto work = [this](const GuardPipes& pipes) {
    kill(getppid(), SIGTERM);
    (void)!write(pipes.heartbeats, &kAlive, 1);
    sigset_t set{};
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    int number = 0;
    sigwait(&set, &number);
    note('e');
    return kEnded;
  };
  EXPECT_EQ(run(work, [this] { return note('r'), kEnded; }), kEnded);
  EXPECT_EQ(log(), "e");
}

TEST_F(AgentGuard, says_when_something_is_left) {
  const auto work = [](const GuardPipes&) {
    kill(getppid(), SIGTERM);
    sleep_long();
    return kEnded;
  };
  EXPECT_EQ(run(work, [] { return kLeftSet; }, 100ms), kLeftSet);
}

TEST_F(AgentGuard, apart_tells_what_became_of_it) {
  EXPECT_EQ(run_in_child([] { return 7; }, 1min), 7);
  EXPECT_FALSE(run_in_child([] { return raise(SIGKILL); }, 1min));
  EXPECT_FALSE(run_in_child([] { return sleep_long(), 0; }, 20ms));
}

}  // namespace
}  // namespace penstock::agent
