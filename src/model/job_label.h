#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace penstock {

/// How texts for people name a job by its number: "job #12".
std::string job_label(JobId job);

/// Gives the name of a job; empty if it is not known.
using JobNames = std::function<std::string(JobId)>;

/// The text with "job east/4711" for each "job #12" whose name is known.
std::string with_job_names(std::string_view text, const JobNames& name_of);

}  // namespace penstock
