// Whatever a comment says, it is read, and complaints stay short.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "live/job/comment.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const penstock::ReadComment read = penstock::read_comment(text);
  for (const std::string& complaint : read.complaints)
    if (complaint.size() > 400) std::abort();
  penstock::Job job;
  penstock::apply(read.wish, job);
  if (read.wish.gpus &&
      (read.wish.gpus->least == 0 || read.wish.gpus->least > read.wish.gpus->most))
    std::abort();
  return 0;
}
