#include "live/site/site_state.h"

#include "live/site_parts.h"

namespace penstock {
namespace {

TEST(EventOutbox, holds_a_job_back_for_one_batch_and_then_has_it_compared) {
  EventOutbox events;
  events.hold_back("7");
  EXPECT_TRUE(events.is_held_back(std::string("7")));
  EXPECT_TRUE(events.take_to_compare().empty());
  Batch batch;
  events.move_into(batch);
  EXPECT_FALSE(events.is_held_back(std::string("7")));
  EXPECT_EQ(events.take_to_compare(), JobTable::Refs{"7"});
  EXPECT_TRUE(events.take_to_compare().empty());
}

TEST(EventOutbox, tells_of_a_job_with_the_event_that_submits_it) {
  EventOutbox events;
  const std::uint64_t before = events.batch();
  events.submit({.id = JobId{4}, .gpus = 2});
  EXPECT_FALSE(events.is_empty());
  Batch batch;
  events.move_into(batch);
  ASSERT_EQ(batch.submitted.size(), 1u);
  EXPECT_EQ(std::get<JobSubmitted>(batch.events.front()).job, JobId{4});
  EXPECT_TRUE(events.is_empty());
  EXPECT_EQ(events.batch(), before + 1);
}

TEST(SiteJournal, names_site_and_job_and_replaces_bytes_that_are_no_text) {
  SiteJournal journal("here");
  TrackedJob job;
  job.seen.number = 12;
  journal.note(kNoon, job, "runs", {{"text", "a\xff"}});
  const auto notes = journal.take_notes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].site, "here");
  EXPECT_EQ(notes[0].job, 12);
  EXPECT_EQ(notes[0].detail, "{\"text\":\"a\xef\xbf\xbd\"}");
  EXPECT_TRUE(journal.take_notes().empty());
}

TEST(WhyNotGoverned, names_the_partition_or_the_user) {
  const SiteOptions options{.partitions = {"main", "long"}, .users = {"ann"}};
  EXPECT_FALSE(why_not_governed({.user = "ann", .partition = "long"}, options));
  EXPECT_EQ(why_not_governed({.user = "ann", .partition = "debug"}, options),
            "its partition 'debug' is not governed; governed are: main long");
  EXPECT_EQ(why_not_governed({.user = "bob", .partition = "main"}, options),
            "its user 'bob' is not one of fence.users");
}

}  // namespace
}  // namespace penstock
