// Any text is a request that keeps its promises, and has an answer, or has a message that says
// why not.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "io/json/tree.h"
#include "io/plan/answer.h"
#include "joint/optimise.h"

namespace penstock {
namespace {

void check_job(const JointProblem& problem, const JointJob& job) {
  PENSTOCK_CHECK(!job.options.empty() && job.deadline >= job.submitted && job.weight > 0);
  for (const JointOption& option : job.options) {
    PENSTOCK_CHECK(option.type < problem.types && option.slices > 0);
    PENSTOCK_CHECK(option.seconds > 0 && std::isfinite(option.seconds));
  }
  if (!job.running) return;
  PENSTOCK_CHECK(job.running->node < problem.nodes.size());
  PENSTOCK_CHECK(job.running->option < job.options.size());
  PENSTOCK_CHECK(job.options[job.running->option].type == problem.nodes[job.running->node].type);
}

void check_promises(const JointProblem& problem) {
  for (const JointJob& job : problem.jobs) check_job(problem, job);
  for (const JointNode& node : problem.nodes) {
    PENSTOCK_CHECK(node.type < problem.types && node.cost.size() == node.gpus + 1);
    for (std::size_t used = 1; used < node.cost.size(); ++used)
      PENSTOCK_CHECK(node.cost[used] >= node.cost[used - 1]);
  }
}

}  // namespace
}  // namespace penstock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace penstock;
  auto request = parse_plan_request({reinterpret_cast<const char*>(bytes), size}, "fuzz");
  if (!request) {
    PENSTOCK_CHECK(!request.error().message.empty());
    return 0;
  }
  check_promises(request->problem);
  request->settings.method = JointMethod::fifo;
  PENSTOCK_CHECK(JsonTree::parse(answer_plan(*request, optimise), "answer"));
  return 0;
}
