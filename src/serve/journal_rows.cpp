#include "serve/journal_rows.h"

namespace penstock {
namespace {

RequestState state_named(std::string_view name) {
  for (const auto state : {RequestState::sent, RequestState::confirmed, RequestState::refused})
    if (name_of(state) == name) return state;
  return RequestState::lost;
}

Time time_of(std::int64_t ms) {
  return Time(Duration(ms));
}

}  // namespace

Result<std::vector<JournalEntry>> read_entries(Statement select) {
  std::vector<JournalEntry> all;
  auto more = select.step();
  for (; more && *more; more = select.step()) {
    JournalEntry entry{.id = select.whole(0),
                       .when = time_of(select.whole(1)),
                       .site = select.text(2),
                       .what = select.text(4),
                       .detail = select.text(5)};
    if (!select.is_null(3)) entry.job = select.whole(3);
    all.push_back(std::move(entry));
  }
  if (!more) return std::move(more).error();
  return all;
}

Result<std::vector<JournalRequest>> read_requests(Statement select) {
  std::vector<JournalRequest> all;
  auto more = select.step();
  for (; more && *more; more = select.step()) {
    JournalRequest request{.id = select.whole(0),
                           .when = time_of(select.whole(1)),
                           .site = select.text(2),
                           .verb = select.text(4),
                           .detail = select.text(5),
                           .reason = select.text(6),
                           .state = state_named(select.text(7)),
                           .answer = select.text(8)};
    if (!select.is_null(3)) request.job = select.whole(3);
    if (!select.is_null(9)) request.answered = time_of(select.whole(9));
    all.push_back(std::move(request));
  }
  if (!more) return std::move(more).error();
  return all;
}

}  // namespace penstock
