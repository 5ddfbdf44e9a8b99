// Any text is a scenario or has a message that says why not.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "io/scenario/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto scenario = penstock::parse_scenario({reinterpret_cast<const char*>(bytes), size},
                                                 "fuzz.toml", "no-such-folder");
  if (!scenario) PENSTOCK_CHECK(!scenario.error().message.empty());
  return 0;
}
