// Any target of a request is a page, a command or a refusal in JSON; what a source is given is
// plain text. Any body is read or has a message that says why not, and no comment holds a word too
// many.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "live/job/comment.h"
#include "serve/api/request_bodies.h"
#include "serve/http/api_route.h"
#include "serve/http/text_encoding.h"

namespace {

void check(const penstock::ApiQuery& look) {
  PENSTOCK_CHECK(penstock::is_printable_utf8(look.id));
  for (const auto& [name, value] : look.parameters)
    PENSTOCK_CHECK(penstock::is_printable_utf8(name) && penstock::is_printable_utf8(value));
}
void check(const penstock::ApiCommand& command) {
  PENSTOCK_CHECK(penstock::is_printable_utf8(command.id) && !command.verb.empty());
}
void check(const penstock::RouteError& refusal) {
  PENSTOCK_CHECK(refusal.response.status >= 400 &&
                 refusal.response.body.starts_with("{\"error\":"));
}
void check(penstock::ServerPage /*page*/) {}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace penstock;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const char* method : {"GET", "POST"})
    std::visit([](const auto& route) { check(route); }, route_of(method, text));
  PENSTOCK_CHECK(is_printable_utf8(terminal_safe(text)));
  const auto submission = parse_submission(text);
  if (submission) PENSTOCK_CHECK(read_comment(submission->comment).problems.empty());
  if (!submission) PENSTOCK_CHECK(!submission.error().message.empty());
  const auto progress = parse_progress(text);
  if (progress) PENSTOCK_CHECK(progress->done >= 0);
  const auto pause = parse_pause(text);
  if (pause) PENSTOCK_CHECK(is_printable_utf8(*pause));
  return 0;
}
