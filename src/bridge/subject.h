#pragma once

#include <cstdint>
#include <optional>

#include "bridge/request.h"

namespace penstock::bridge {

/// What a request looks at or changes: one job, or one task of an array, and nothing else.
struct Subject {
  std::uint32_t job = 0;
  std::optional<std::uint32_t> task{};  ///< nothing: the job, or the whole array
};

/// Nothing where a request is about more than one job. So is one about a job of a federation of
/// clusters, since libslurm turns to that job's own cluster with all threads at once.
std::optional<Subject> subject_of(const Request& request);

/// May the order of two requests matter?
bool touch(const std::optional<Subject>& one, const std::optional<Subject>& other);

}  // namespace penstock::bridge
