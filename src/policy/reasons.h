#pragma once

#include <string>

#include "model/job_label.h"
#include "policy/policy.h"

namespace penstock {

// Parts of the texts in Decision::because.

/// "12:30Z", with seconds if there are any; on another day than `now`, "2026-03-02 12:30Z".
std::string clock_label(Time when, Time now);
/// "45 s", "12 min", "3.5 h" or "2.1 d".
std::string duration_label(Duration length);
/// "1 GPU", "8 GPUs".
std::string gpus_label(std::uint32_t gpus);
/// "1 job", "3 jobs".
std::string jobs_label(std::size_t jobs);

/// Adds what `text()` returns as the reason for a job. Without a reader, `text` is not called.
template <class MakeText>
void add_reason(const View& view, Decision& decision, JobId job, const MakeText& text) {
  if (view.explain) decision.because.push_back({job, text()});
}

}  // namespace penstock
