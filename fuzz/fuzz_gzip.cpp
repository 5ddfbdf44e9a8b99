// No gzip data, however broken, does more than give text or a message.
#include <cstddef>
#include <cstdint>

#include "io/text/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static_cast<void>(penstock::gunzip({reinterpret_cast<const char*>(bytes), size}, 1 << 20));
  return 0;
}
