#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace penstock {

/// Two M60 nodes; J1 runs on the first, J2 waits.
inline constexpr std::string_view kGoodRequest = R"({
  "jobs": {
    "J1": {"SubmissionTime": 0, "Deadline": 9000, "Priority": 1, "Epochs": 10,
           "ProfilingData": {"M60": {"1": 360, "2": 200}}},
    "J2": {"SubmissionTime": 50, "Deadline": 5000, "Priority": 5, "Epochs": 20,
           "ProfilingData": {"M60": {"1": 100}}}
  },
  "nodes": {
    "n1": {"GPUtype": "M60", "free_nGPUs": 3, "total_nGPUs": 4, "cost": 0.5},
    "n2": {"GPUtype": "M60", "free_nGPUs": 2, "total_nGPUs": 2, "cost": 0}
  },
  "GPUcosts": {"M60": {"1": 1, "2": 2, "3": 3, "4": 4}},
  "currentScheduling": {"J1": {"node": "n1", "GPUtype": "M60", "nGPUs": 1}},
  "currentTime": 100
})";

using RequestChanges = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// The good request with some of its texts replaced by others.
inline std::string changed(RequestChanges changes) {
  std::string text(kGoodRequest);
  for (const auto& [old, now] : changes) {
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    if (at != std::string::npos) text.replace(at, old.size(), now);
  }
  return text;
}

}  // namespace penstock
