#pragma once

#include <cstdint>

namespace penstock {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kHasSanitizers = true;
#elif defined(__has_feature)
inline constexpr bool kHasSanitizers =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kHasSanitizers = false;
#endif

/// How many of so many random worlds a test tries: all, or with sanitizers a quarter of them. These
/// take 30 times as long and look for faults that any world may show; results are compared without
/// them.
constexpr std::uint64_t worlds_to_try(std::uint64_t all) {
  return kHasSanitizers ? (all + 3) / 4 : all;
}

}  // namespace penstock
