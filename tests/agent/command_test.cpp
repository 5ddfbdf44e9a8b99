#include "agent/command.h"

#include <gtest/gtest.h>

namespace penstock::agent {
namespace {

using namespace std::chrono_literals;

std::string outcome(const std::vector<std::string>& words, Duration patience = 60s) {
  const auto done = run_command(words, patience);
  return done ? "fine" : done.error().message;
}

TEST(AgentCommand, ends_well_or_tells_how) {
  EXPECT_EQ(outcome({"true"}), "fine");
  EXPECT_EQ(outcome({"false"}), "false: ended with code 1");
  EXPECT_EQ(outcome({"sh", "-c", "kill -9 $$"}), "sh: was ended by signal 9");
  EXPECT_EQ(outcome({"/nowhere/set-clock"}), "/nowhere/set-clock: No such file or directory");
}

TEST(AgentCommand, that_does_not_end_is_ended) {
  EXPECT_EQ(outcome({"sleep", "1000"}, 20ms), "sleep: did not end within 0.02 s");
}

TEST(AgentCommand, is_not_a_shell) {
  EXPECT_EQ(outcome({"test", "$HOME", "=", "$HOME"}), "fine");
  EXPECT_EQ(outcome({"test", "a;false", "=", "a;false"}), "fine");
}

TEST(AgentCommand, words_are_parted_by_blanks) {
  EXPECT_EQ(split_words("  sudo -n /sbin/set-clock "),
            (std::vector<std::string>{"sudo", "-n", "/sbin/set-clock"}));
  EXPECT_TRUE(split_words(" ").empty());
}

}  // namespace
}  // namespace penstock::agent
