#include "serve/http/event_feed.h"

#include <gtest/gtest.h>

#include <thread>

namespace penstock {
namespace {

TEST(EventFeed, gives_what_came_after_an_id) {
  EventFeed feed(10);
  EXPECT_EQ(feed.last_id(), 0u);
  EXPECT_EQ(feed.push("job", "{}"), 1u);
  EXPECT_EQ(feed.push("two\nlines", "{\n}"), 2u);
  const FeedUpdate update = feed.wait_after(1, Duration::zero());
  ASSERT_EQ(update.events.size(), 1u);
  EXPECT_EQ(update.events[0].event, "two lines");
  EXPECT_EQ(update.events[0].json, "{ }");
  EXPECT_EQ(update.skipped, 0u);
  EXPECT_TRUE(feed.wait_after(2, Duration::zero()).events.empty());
}

TEST(EventFeed, forgets_the_oldest_and_says_how_many) {
  EventFeed feed(3);
  for (int i = 0; i < 10; ++i) feed.push("job", "{}");
  const FeedUpdate update = feed.wait_after(4, Duration::zero());
  EXPECT_EQ(update.skipped, 3u);
  ASSERT_EQ(update.events.size(), 3u);
  EXPECT_EQ(update.events.front().id, 8u);
}

TEST(EventFeed, takes_an_id_of_a_former_daemon_for_none) {
  EventFeed feed(3);
  feed.push("job", "{}");
  EXPECT_EQ(feed.wait_after(500, Duration::zero()).events.size(), 1u);
}

TEST(EventFeed, wakes_readers_by_an_event_or_without_one) {
  EventFeed feed(3);
  constexpr Duration kLong{60'000};
  std::thread writer([&] { feed.push("job", "{}"); });
  EXPECT_EQ(feed.wait_after(0, kLong).events.size(), 1u);
  writer.join();
  std::atomic<bool> back = false;
  std::thread reader([&] {
    feed.wait_after(1, kLong);
    back = true;
  });
  while (!back) feed.wake();
  reader.join();
}

TEST(ApiEvents, writes_server_sent_events) {
  std::uint64_t seen = 3;
  EXPECT_EQ(event_stream_text({}, seen), ": here\n\n");
  EXPECT_EQ(seen, 3u);
  EXPECT_EQ(event_stream_text({.skipped = 2, .events = {{6, "job", "{}"}}}, seen),
            "event: skipped\ndata: {\"skipped\":2}\n\nid: 6\nevent: job\ndata: {}\n\n");
  EXPECT_EQ(seen, 6u);
}

TEST(ApiEvents, begins_where_the_reader_was_or_with_what_comes_next) {
  EventFeed feed(3);
  feed.push("job", "{}");
  EXPECT_EQ(resume_point("0", feed), 0u);
  for (const char* text : {"", "x", "-1", "99999999999999999999"})
    EXPECT_EQ(resume_point(text, feed), 1u) << text;
}

TEST(ApiEvents, gives_back_seats_that_are_left) {
  ReaderSlots seats(1);
  auto seat = seats.take();
  EXPECT_TRUE(seat);
  EXPECT_FALSE(seats.take());
  seat.reset();
  EXPECT_TRUE(seats.take());
}

}  // namespace
}  // namespace penstock
