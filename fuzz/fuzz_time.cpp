// An instant that is read and written again is the same instant.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto time = penstock::parse_time({reinterpret_cast<const char*>(bytes), size});
  if (time) PENSTOCK_CHECK(penstock::parse_time(penstock::format_time(*time)) == *time);
  return 0;
}
