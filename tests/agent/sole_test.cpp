#include "agent/sole.h"

#include <gtest/gtest.h>

#include "agent/fake_gpus.h"

namespace penstock::agent {
namespace {

using namespace std::chrono_literals;

TEST(AgentSole, there_is_only_one_of_a_record) {
  const FakeGpus folder;
  const std::string record = folder.folder() + "/new/record.json";
  auto first = be_sole(record, 1min);
  ASSERT_TRUE(first);
  const auto second = be_sole(record, 10ms);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, record + ".lock: another agent looks after this node");
  first->close();
  EXPECT_TRUE(be_sole(record, 1min));
}

TEST(AgentSole, tells_where_it_may_not_write) {
  EXPECT_EQ(be_sole("/nowhere/deep/record.json", 1ms).error().message,
            "/nowhere/deep/record.json.lock: cannot be written: No such file or directory; say "
            "where by --state");
}

}  // namespace
}  // namespace penstock::agent
