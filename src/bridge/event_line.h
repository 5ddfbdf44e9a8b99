#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock::bridge {

/// What the hook says of a job, "JOBID=12 JOBSTATE=COMPLETED EXITCODE=0:0 ...", as the JSON line
/// that the bridge pushes; none if it does not name a job. Words that are not known are passed
/// over.
std::optional<std::string> event_of(std::string_view hook_line);

}  // namespace penstock::bridge
