#include "learn/mars/observation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

Task sized_task(std::uint32_t gpus, Duration requested, Duration after = {}) {
  return {.submitted = Time(after), .gpus = gpus, .requested = requested, .actual = requested};
}

/// A machine of ten GPUs: the first task takes six, of the others one fits.
class Looking : public testing::Test {
 protected:
  Looking()
      : tasks(*TaskSequence::make(
            {sized_task(6, 1h), sized_task(5, 10min, 1s), sized_task(4, 20min, 2s)}, 10)),
        world(10, {.backfill = Backfill::easy, .commit = Commit::until_start}) {
    world.reset(tasks);
    world.choose(0);
    observer.begin(tasks, Time{});
  }
  float item(const Window& window, std::size_t which, std::string_view feature) const {
    const auto names = item_features();
    const auto at = static_cast<std::size_t>(std::ranges::find(names, feature) - names.begin());
    return window.items[which * names.size() + at];
  }
  TaskSequence tasks;
  QueueWorld world;
  TaskObserver observer{8};
};

TEST_F(Looking, sees_who_is_ready_and_whether_he_fits) {
  ASSERT_TRUE(world.needs_choice());
  const Window window = observer.look(world);
  ASSERT_EQ(observer.tasks().size(), 1u);
  EXPECT_EQ(observer.tasks()[0], 1u);
  EXPECT_EQ(window.items.size(), item_features().size());
  EXPECT_EQ(window.globals.size(), global_features().size());
  EXPECT_FLOAT_EQ(item(window, 0, "gpus"), 0.5);
  EXPECT_FLOAT_EQ(item(window, 0, "fits"), 0);
  EXPECT_FLOAT_EQ(window.globals[0], 0.4f);  // free
}

TEST_F(Looking, sees_where_each_stands_in_every_order) {
  TaskSequence all =
      *TaskSequence::make({sized_task(10, 1h), sized_task(5, 10min), sized_task(4, 20min)}, 10);
  QueueWorld crowd(10, {});
  crowd.reset(all);
  observer.begin(all, Time{});
  const Window window = observer.look(crowd);
  ASSERT_EQ(observer.tasks().size(), 3u);
  EXPECT_FLOAT_EQ(item(window, 0, "fifo"), 0);
  EXPECT_FLOAT_EQ(item(window, 0, "sjf"), 1);
  EXPECT_FLOAT_EQ(item(window, 1, "sjf"), 0);
  EXPECT_FLOAT_EQ(item(window, 2, "sjf"), 0.5);
  EXPECT_FLOAT_EQ(item(window, 2, "smallest"), 0);
  EXPECT_TRUE(std::ranges::all_of(window.items, [](float x) { return x >= -1 && x <= 2; }));
}

TEST_F(Looking, sees_no_more_than_it_may) {
  std::vector<Task> many(20, sized_task(10, 1h));
  const TaskSequence all = *TaskSequence::make(many, 10);
  QueueWorld crowd(10, {});
  crowd.reset(all);
  observer.begin(all, Time{});
  observer.look(crowd);
  EXPECT_EQ(observer.tasks().size(), 8u);
  EXPECT_EQ(observer.tasks().front(), 0u);
}

}  // namespace
}  // namespace penstock
