#pragma once

#include <string>

#include "model/job_label.h"
#include "policy/policy.h"

namespace penstock {

// Words of which policies make what they say in Decision::because.

/// "12:30Z", with seconds if there are any; on another day than `now`, "2026-03-02 12:30Z".
std::string clock_word(Time when, Time now);
/// "45 s", "12 min", "3.5 h" or "2.1 d".
std::string length_word(Duration length);
/// "1 GPU", "8 GPUs".
std::string gpus_word(std::uint32_t gpus);
/// "1 job", "3 jobs".
std::string jobs_word(std::size_t jobs);

/// Says of a job what `text()` makes, if someone reads it; else nothing is made.
template <class MakeText>
void say(const View& view, Decision& decision, JobId job, const MakeText& text) {
  if (view.explain) decision.because.push_back({job, text()});
}

}  // namespace penstock
