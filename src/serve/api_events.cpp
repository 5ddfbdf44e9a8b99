#include "serve/api_events.h"

#include <fmt/format.h>

#include "io/text/number.h"

namespace penstock {

std::string event_stream_text(const FeedNews& news, std::uint64_t& seen) {
  if (news.events.empty()) return ": here\n\n";
  std::string text;
  if (news.skipped > 0)
    text += fmt::format("event: skipped\ndata: {{\"skipped\":{}}}\n\n", news.skipped);
  for (const FeedEvent& each : news.events)
    text += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", each.id, each.event, each.json);
  seen = news.events.back().id;
  return text;
}

std::uint64_t resume_point(std::string_view last_event_id, const EventFeed& feed) {
  const auto id = parse_number<std::uint64_t>(last_event_id);
  return id ? *id : feed.last_id();
}

std::shared_ptr<void> EventSeats::take() {
  if (taken_->fetch_add(1) >= most_) {
    taken_->fetch_sub(1);
    return nullptr;
  }
  return {taken_.get(), [taken = taken_](void*) { taken->fetch_sub(1); }};
}

}  // namespace penstock
