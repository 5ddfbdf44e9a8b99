#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "page/stored_jobs.h"

namespace penstock {

/// Jobs whose files were at one site and that ran last at another, or at the same.
struct JobFlow {
  std::string from{};
  std::string to{};
  std::uint64_t jobs = 0;
  double gigabytes = 0;  ///< sent
  double gpu_hours = 0;  ///< held, wherever
};

/// By both names; none where there is only one site or jobs have no home.
std::vector<JobFlow> flows_of(std::span<const StoredJob> jobs, std::span<const std::string> sites);

}  // namespace penstock
