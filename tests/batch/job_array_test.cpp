#include "batch/job_array.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using Numbers = std::vector<std::size_t>;

TEST(JobArray, numbers_are_written_as_ranges_and_read_back) {
  for (const auto& [numbers, text] : std::vector<std::pair<Numbers, std::string>>{
           {{0}, "0"}, {{0, 1, 2}, "0-2"}, {{0, 2, 3, 9}, "0,2-3,9"}}) {
    EXPECT_EQ(ranges_text(numbers), text);
    EXPECT_EQ(*parse_ranges(text, 10), numbers);
  }
  EXPECT_EQ(*parse_ranges("3,1-2,2", 10), (Numbers{1, 2, 3}));
}

TEST(JobArray, what_is_no_list_of_numbers_is_refused) {
  for (const char* text : {"", "a", "1-", "-1", "3-2", "1,,2", "1 2", "99999999999999999999"})
    EXPECT_FALSE(parse_ranges(text, 10)) << text;
  EXPECT_EQ(parse_ranges("0-10", 10).error().message, "there is no 10; the last is 9");
}

TEST(JobArray, is_submitted_with_what_was_asked) {
  const ArrayRequest request{.name = "n",
                             .tasks = 7,
                             .at_once = 2,
                             .cpus = 3,
                             .partition = "long",
                             .time = "1:00",
                             .more = {"--account=a b"},
                             .logs = "/s"};
  EXPECT_EQ(
      sbatch_words(request, "/s/a.sh"),
      (std::vector<std::string>{"sbatch", "--parsable", "--job-name=n", "--array=0-6%2",
                                "--cpus-per-task=3", "--open-mode=append", "--output=/s/%A_%a.log",
                                "--partition=long", "--time=1:00", "--account=a b", "/s/a.sh"}));
}

TEST(JobArray, words_reach_the_program_whatever_is_in_them) {
  EXPECT_EQ(array_script({"/bin/p", "it's", "$HOME; rm", ""}),
            "#!/bin/sh\nexec '/bin/p' 'it'\\''s' '$HOME; rm' ''\n");
}

TEST(JobArray, its_number_is_read_from_sbatch) {
  EXPECT_EQ(submitted_job("123\n"), "123");
  EXPECT_EQ(submitted_job("123;east\n"), "123");
  EXPECT_EQ(submitted_job("error"), std::nullopt);
}

TEST(JobArray, tasks_are_counted_by_state) {
  const ArrayTasks tasks = parse_tasks(
      "7 CANCELLED None\n9 PENDING Resources\n9 PENDING Priority\n9 RUNNING None\n"
      "9 COMPLETING None\n9 COMPLETED None\n9 FAILED NonZeroExitCode\nnonsense\n");
  EXPECT_EQ(tasks.job, "9");
  EXPECT_EQ(tasks.waiting, 2u);
  EXPECT_EQ(tasks.running, 2u);
  EXPECT_EQ(tasks.cancelled, 0u);  // an earlier array was
  EXPECT_EQ(tasks.why_waiting, "Resources");
  EXPECT_TRUE(tasks.active());
  EXPECT_FALSE(parse_tasks("").active());
  EXPECT_EQ(parse_tasks("9 CANCELLED None\n9 COMPLETED None\n").cancelled, 1u);
}

}  // namespace
}  // namespace penstock
