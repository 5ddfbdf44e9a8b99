// Any answer of a daemon is a plan within bounds, or has a message that says why not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/plan.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace penstock::agent;
  const auto plan = parse_plan({reinterpret_cast<const char*>(bytes), size});
  if (!plan) {
    PENSTOCK_CHECK(!plan.error().message.empty() && plan.error().message.size() < 4096);
    return 0;
  }
  PENSTOCK_CHECK(plan->valid > penstock::Duration::zero());
  for (const PlannedGpu& gpu : plan->gpus) PENSTOCK_CHECK(gpu.index < 1024);
  return 0;
}
