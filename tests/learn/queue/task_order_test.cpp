#include "learn/queue/task_order.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

/// Three tasks: long and narrow, short and wide, in between but costly.
TaskSequence three_tasks() {
  const auto task = [](int length, std::uint32_t gpus, double cost) {
    return Task{.gpus = gpus,
                .requested = std::chrono::seconds(length),
                .actual = std::chrono::seconds(length),
                .cost = cost};
  };
  return *TaskSequence::make({task(100, 1, 1), task(30, 8, 1), task(50, 4, 1000)}, 8);
}

std::vector<std::uint32_t> places_in(std::string_view order) {
  std::vector<std::uint32_t> places;
  rank_tasks(*find_task_order(order), three_tasks(), Time{}, places);
  return places;
}

using Places = std::vector<std::uint32_t>;

TEST(TaskOrder, ranks_by_what_its_name_says) {
  EXPECT_EQ(places_in("fifo"), (Places{0, 1, 2}));
  EXPECT_EQ(places_in("sjf"), (Places{2, 0, 1}));
  EXPECT_EQ(places_in("smallest"), (Places{0, 2, 1}));
  EXPECT_EQ(places_in("area"), (Places{0, 2, 1}));   // 100, 240 and 200 GPU-seconds
  EXPECT_EQ(places_in("smith"), (Places{1, 0, 2}));  // 10 000, 7 200 and 10 000; ties by place
  EXPECT_EQ(places_in("worth"), (Places{1, 2, 0}));  // 1/100, 1/240 and 1000/200
  EXPECT_EQ(places_in("critical-path"), (Places{0, 2, 1}));  // the longest first
}

TEST(TaskOrder, knows_which_orders_age) {
  EXPECT_TRUE(find_task_order("wfp3")->ages());
  EXPECT_FALSE(find_task_order("sjf")->ages());
  EXPECT_EQ(find_task_order("best"), nullptr);
}

}  // namespace
}  // namespace penstock
