#include "app/method_run.h"

#include <algorithm>

#include "base/check.h"

namespace penstock {

const RunSummary* find_run(const std::vector<MethodRun>& runs, std::string_view method) {
  const auto found = std::ranges::find(runs, method, &MethodRun::method);
  return found == runs.end() ? nullptr : &found->run;
}

const RunSummary& run_of(const std::vector<MethodRun>& runs, std::string_view method) {
  const RunSummary* run = find_run(runs, method);
  PENSTOCK_CHECK(run != nullptr);
  return *run;
}

}  // namespace penstock
