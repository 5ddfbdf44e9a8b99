#include "learn/queue/task_sequence.h"

#include <gtest/gtest.h>

#include <string>

namespace penstock {
namespace {

Task ranked_task(std::uint32_t id, int requested_s, std::vector<std::uint32_t> parents = {}) {
  return {
      .id = {id}, .requested = std::chrono::seconds(requested_s), .parents = std::move(parents)};
}

std::string sequence_error(std::vector<Task> tasks) {
  const auto made = TaskSequence::make(std::move(tasks), 8);
  return made ? "" : made.error().message;
}

//   0 (10 s) → 1 (20 s) → 3 (5 s)      4 (1 s) alone
//            ↘ 2 (3 s)  ↗
TEST(TaskSequence, ranks_tasks_by_the_way_ahead_of_them) {
  const auto made =
      TaskSequence::make({ranked_task(0, 10), ranked_task(1, 20, {0}), ranked_task(2, 3, {0}),
                          ranked_task(3, 5, {1, 2}), ranked_task(4, 1)},
                         8);
  ASSERT_TRUE(made);
  const auto upward = [&](std::uint32_t i) { return made->rank(i).upward; };
  EXPECT_EQ(upward(0), std::chrono::seconds(35));
  EXPECT_EQ(upward(1), std::chrono::seconds(25));
  EXPECT_EQ(upward(2), std::chrono::seconds(8));
  EXPECT_EQ(upward(3), std::chrono::seconds(5));
  EXPECT_EQ(upward(4), std::chrono::seconds(1));
  EXPECT_EQ(made->rank(0).fan_out, 2u);
  EXPECT_EQ(made->rank(3).fan_out, 0u);
  EXPECT_EQ(made->rank(0).depth, 0u);
  EXPECT_EQ(made->rank(3).depth, 2u);
  EXPECT_EQ(made->children(0).size(), 2u);
  EXPECT_TRUE(made->has_parents());
}

TEST(TaskSequence, of_no_tasks_is_fine) {
  const auto made = TaskSequence::make({}, 8);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->size(), 0u);
}

TEST(TaskSequence, names_the_task_whose_parent_does_not_exist) {
  EXPECT_EQ(sequence_error({ranked_task(10, 1), ranked_task(11, 1, {2})}),
            "task 11: parents: there is no task at 2; the sequence has 2");
}

TEST(TaskSequence, names_a_task_of_a_cycle) {
  EXPECT_EQ(sequence_error({ranked_task(10, 1), ranked_task(11, 1, {2}), ranked_task(12, 1, {1})}),
            "task 11: parents: it waits, through its parents, for a cycle");
  EXPECT_EQ(sequence_error({ranked_task(10, 1, {0})}),
            "task 10: parents: it waits, through its parents, for a cycle");
}

TEST(TaskSequence, refuses_what_the_machine_cannot_run) {
  Task large = ranked_task(3, 1);
  large.gpus = 9;
  EXPECT_EQ(sequence_error({large}), "task 3: gpus: 9 are asked for; the machine has 8");
  large.gpus = 0;
  EXPECT_EQ(sequence_error({large}), "task 3: gpus: 0; at least 1 is needed");
  large.gpus = 4;
  large.least_gpus = 5;
  EXPECT_EQ(sequence_error({large}),
            "task 3: gpus: 4 is not between the least, 5, and the most, 4");
}

TEST(TaskSequence, refuses_tasks_out_of_order_and_numbers_that_are_none) {
  Task late = ranked_task(0, 1);
  late.submitted = Time(std::chrono::seconds(1));
  EXPECT_EQ(sequence_error({late, ranked_task(1, 1)}),
            "task 1: submitted: before the task ahead of it in the sequence");
  Task odd = ranked_task(2, 1);
  odd.serial = 1.5;
  EXPECT_EQ(sequence_error({odd}), "task 2: serial: 1.5 is not between 0 and 1");
  odd.serial = 0;
  odd.requested = Duration::max();
  EXPECT_EQ(sequence_error({odd}), "task 2: requested or actual: longer than a century");
}

TEST(TaskSequence, halves_the_time_of_a_task_on_twice_its_gpus_but_for_the_serial_part) {
  Task scales = ranked_task(0, 100);
  scales.gpus = 4;
  EXPECT_EQ(time_on(scales, std::chrono::seconds(100), 4), std::chrono::seconds(100));
  EXPECT_EQ(time_on(scales, std::chrono::seconds(100), 8), std::chrono::seconds(50));
  EXPECT_EQ(time_on(scales, std::chrono::seconds(100), 1), std::chrono::seconds(400));
  EXPECT_EQ(time_on(scales, Duration(1), 8), Duration(1));
  scales.serial = 0.5;
  EXPECT_EQ(time_on(scales, std::chrono::seconds(100), 8), std::chrono::seconds(75));
}

}  // namespace
}  // namespace penstock
