#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace penstock {

/// A job in a text for people, as those write it who know jobs only by their numbers: "job #12".
std::string job_word(JobId job);

/// What jobs are called elsewhere; empty if nobody knows.
using JobNames = std::function<std::string(JobId)>;

/// The text with "job east/4711" for each "job #12" whose name is known.
std::string with_names(std::string_view text, const JobNames& name_of);

}  // namespace penstock
