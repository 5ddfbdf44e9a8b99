#include "serve/client/daemon_queue.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using nlohmann::ordered_json;

TEST(SortQueue, puts_running_jobs_first_and_ended_ones_last) {
  std::vector<ordered_json> jobs{{{"id", "e"}, {"state", "ended"}},
                                 {{"id", "10"}, {"state", "queued"}},
                                 {{"id", "9"}, {"state", "queued"}},
                                 {{"id", "r"}, {"state", "running"}}};
  sort_queue(jobs);
  EXPECT_EQ(jobs[0]["id"], "r");
  EXPECT_EQ(jobs[1]["id"], "9");
  EXPECT_EQ(jobs[2]["id"], "10");
  EXPECT_EQ(jobs[3]["id"], "e");
}

TEST(QueueRows, say_dash_where_nothing_is_known) {
  const auto rows = queue_rows({ordered_json{{"id", "east/1"}, {"state", "queued"}}}, false);
  ASSERT_EQ(rows.size(), 2u);
  ASSERT_EQ(rows[0].size(), rows[1].size());
  EXPECT_EQ(rows[0].front(), "JOB");
  EXPECT_EQ(rows[1].front(), "east/1");
  EXPECT_EQ(rows[1][1], "queued");
  EXPECT_EQ(rows[1].back(), "-");
}

}  // namespace
}  // namespace penstock
