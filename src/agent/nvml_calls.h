#pragma once

#include <string>

#include "base/result.h"

namespace penstock::agent {

// NVML's interface as far as it is used here, by our own declarations: the names and numbers of
// docs.nvidia.com/deploy/nvml-api. All of them are in the library since driver 410 at the latest.

using NvmlCode = int;
using NvmlDevice = void*;

inline constexpr NvmlCode kNvmlSuccess = 0;
inline constexpr NvmlCode kNvmlNotSupported = 3;
inline constexpr NvmlCode kNvmlNoPermission = 4;
inline constexpr NvmlCode kNvmlNoDriver = 9;
inline constexpr NvmlCode kNvmlNoFunction = 13;  ///< also what we say of a function that is absent
inline constexpr int kNvmlClockSm = 1;

struct NvmlUtilization {
  unsigned gpu = 0;  ///< percent
  unsigned memory = 0;
};

/// The library's functions; null where this library has none. Power is in mW, energy in mJ.
struct NvmlCalls {
  NvmlCode (*init)() = nullptr;
  NvmlCode (*shutdown)() = nullptr;
  const char* (*error_string)(NvmlCode) = nullptr;
  NvmlCode (*count)(unsigned*) = nullptr;
  NvmlCode (*device)(unsigned, NvmlDevice*) = nullptr;
  NvmlCode (*name)(NvmlDevice, char*, unsigned) = nullptr;
  NvmlCode (*memory_clocks)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  NvmlCode (*graphics_clocks)(NvmlDevice, unsigned, unsigned*, unsigned*) = nullptr;
  NvmlCode (*limit_range)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  NvmlCode (*default_limit)(NvmlDevice, unsigned*) = nullptr;
  NvmlCode (*limit)(NvmlDevice, unsigned*) = nullptr;
  NvmlCode (*power)(NvmlDevice, unsigned*) = nullptr;
  NvmlCode (*clock)(NvmlDevice, int, unsigned*) = nullptr;
  NvmlCode (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  NvmlCode (*energy)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlCode (*lock_clocks)(NvmlDevice, unsigned, unsigned) = nullptr;
  NvmlCode (*unlock_clocks)(NvmlDevice) = nullptr;
  NvmlCode (*set_limit)(NvmlDevice, unsigned) = nullptr;

  /// Fails where there is no such library, or it lacks what nothing works without.
  static Result<NvmlCalls> load(const std::string& library);

  /// "Insufficient Permissions", in the library's words where it has some.
  std::string explain(NvmlCode code) const;
};

/// What a function answers, or that there is none.
template <class... Parameters, class... Arguments>
NvmlCode ask(NvmlCode (*function)(Parameters...), Arguments... arguments) {
  return function == nullptr ? kNvmlNoFunction : function(arguments...);
}

}  // namespace penstock::agent
