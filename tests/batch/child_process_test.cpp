#include "batch/child_process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace penstock {
namespace {

TEST(Command, tells_what_was_printed_and_how_it_ended) {
  const auto end = run_command({"sh", "-c", "echo out; echo no >&2; exit 3"});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->out, "out\n");
  EXPECT_EQ(end->error_output, "no\n");
}

TEST(Command, words_pass_through_no_shell) {
  const auto end = run_command({"printf", "%s|", "a b", "$HOME", "'", ""});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->out, "a b|$HOME|'||");
}

TEST(Command, has_no_input_and_may_say_much_on_both_sides) {
  const auto end =
      run_command({"sh", "-c",
                   "cat; i=0; while [ $i -lt 20000 ]; do echo 12345678; echo 12345678 >&2; "
                   "i=$((i+1)); done"});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->out.size(), 180000u);
  EXPECT_EQ(end->error_output.size(), 180000u);
}

TEST(Command, that_is_killed_says_by_which_signal) {
  const auto end = run_command({"sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 128 + 9);
}

TEST(Command, that_is_not_there_is_an_error) {
  const auto end = run_command({"no-such-program"});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "cannot start no-such-program: No such file or directory");
}

TEST(Command, may_append_all_it_says_to_a_file) {
  const std::filesystem::path log =
      std::filesystem::path(testing::TempDir()) / "penstock-command-test.log";
  std::filesystem::remove(log);
  for (int i = 0; i < 2; ++i) {
    const auto end = run_command({"sh", "-c", "echo out; echo no >&2"}, log);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->out + end->error_output, "");
  }
  std::ostringstream text;
  text << std::ifstream(log).rdbuf();
  EXPECT_EQ(text.str(), "out\nno\nout\nno\n");
  std::filesystem::remove(log);
  EXPECT_FALSE(run_command({"true"}, "/nowhere/log"));
}

}  // namespace
}  // namespace penstock
