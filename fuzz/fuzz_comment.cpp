// Whatever a comment says, it is read, and problems stay short.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "live/job/comment.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const penstock::ReadComment read = penstock::read_comment(text);
  for (const std::string& problem : read.problems)
    if (problem.size() > 400) std::abort();
  penstock::Job job;
  penstock::apply(read.user_options, job);
  if (read.user_options.gpus && (read.user_options.gpus->least == 0 ||
                                 read.user_options.gpus->least > read.user_options.gpus->most))
    std::abort();
  return 0;
}
