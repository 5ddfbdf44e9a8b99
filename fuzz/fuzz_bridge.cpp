// Any line is a request, or has a message that says why not; any line of a hook is an event or
// nothing; any bytes are cut into lines.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "bridge/command.h"
#include "bridge/event_socket.h"
#include "bridge/gres.h"
#include "bridge/json_writer.h"
#include "bridge/line_buffer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace penstock::bridge;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  LineBuffer lines(256);
  lines.add(text);
  while (const auto line = lines.next()) PENSTOCK_CHECK(line->text.size() <= 256);
  const Request request = parse_request(text);
  PENSTOCK_CHECK(!request.id.empty());
  if (!request.command) PENSTOCK_CHECK(!request.command.error().message.empty());
  if (const auto event = event_of(text)) PENSTOCK_CHECK(event->find('\n') == std::string::npos);
  for (const GpuCount& gpus : gpus_of(text)) PENSTOCK_CHECK(gpus.count >= 0);
  PENSTOCK_CHECK(clock_of(text) >= 0 && quoted(text).size() >= 2);
  return 0;
}
