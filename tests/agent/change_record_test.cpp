#include "agent/change_record.h"

#include <gtest/gtest.h>

#include "agent/fake_gpus.h"

namespace penstock::agent {
namespace {

const ChangedGpu kSlow{.index = 0, .method = ClockMethod::clock, .clock_mhz = 1200};
const ChangedGpu kLimited{.index = 1, .method = ClockMethod::power, .limit_before = Watts(350)};

TEST(AgentRecord, is_empty_where_there_is_no_file) {
  const FakeGpus fake;
  const auto record = ChangeRecord::open(fake.record());
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->changed().empty());
}

TEST(AgentRecord, is_found_again_by_the_next) {
  const FakeGpus fake;
  auto record = ChangeRecord::open(fake.record());
  ASSERT_TRUE(record->add(kSlow));
  ASSERT_TRUE(record->add(kLimited));
  const auto again = ChangeRecord::open(fake.record());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->changed(), (std::vector{kSlow, kLimited}));
}

TEST(AgentRecord, keeps_one_line_of_a_gpu_and_way) {
  const FakeGpus fake;
  auto record = ChangeRecord::open(fake.record());
  ASSERT_TRUE(record->add({.index = 0, .method = ClockMethod::clock, .clock_mhz = 900}));
  ASSERT_TRUE(record->add(kSlow));
  EXPECT_EQ(record->changed(), std::vector{kSlow});
  ASSERT_TRUE(record->remove(0, ClockMethod::clock));
  EXPECT_EQ(text_of(fake.record()), "[]\n");
}

TEST(AgentRecord, remembers_nothing_that_is_not_on_disk) {
  auto record = ChangeRecord::open("/nowhere/record.json");
  const auto added = record->add(kSlow);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message,
            "/nowhere/record.json.new: cannot be written: No such file or directory");
  EXPECT_TRUE(record->changed().empty());
}

TEST(AgentRecord, that_is_none_is_refused) {
  const FakeGpus fake;
  for (const char* text :
       {"", "{}", "[7]", R"([{"index":0}])", R"([{"index":0,"method":"magic"}])",
        R"([{"index":-1,"method":"clock"}])", R"([{"index":0,"method":"clock")"}) {
    std::ofstream(fake.record()) << text;
    const auto record = ChangeRecord::open(fake.record());
    ASSERT_FALSE(record) << text;
    EXPECT_EQ(record.error().message, fake.record() + ": is not a record of penstock agent");
  }
}

TEST(AgentRecord, ways_have_names) {
  for (const ClockMethod method : {ClockMethod::clock, ClockMethod::power, ClockMethod::command})
    EXPECT_EQ(parse_method(name_of(method)), method);
  EXPECT_FALSE(parse_method("magic"));
}

}  // namespace

namespace {

using namespace std::chrono_literals;

TEST(AgentSole, there_is_only_one_of_a_record) {
  const FakeGpus folder;
  const std::string record = folder.folder() + "/new/record.json";
  auto first = acquire_agent_lock(record, 1min);
  ASSERT_TRUE(first);
  const auto second = acquire_agent_lock(record, 10ms);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, record + ".lock: another agent looks after this node");
  first->close();
  EXPECT_TRUE(acquire_agent_lock(record, 1min));
}

TEST(AgentSole, tells_where_it_may_not_write) {
  EXPECT_EQ(acquire_agent_lock("/nowhere/deep/record.json", 1ms).error().message,
            "/nowhere/deep/record.json.lock: cannot be written: No such file or directory; say "
            "where by --state");
}

}  // namespace

}  // namespace penstock::agent
