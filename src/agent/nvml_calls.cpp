#include "agent/nvml_calls.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace penstock::agent {
namespace {

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

Result<NvmlCalls> NvmlCalls::load(const std::string& library) {
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays until the program ends
  if (loaded == nullptr)
    return Error{fmt::format(
        "no NVIDIA library ({}): install NVIDIA's driver, or say where it is by --library",
        dlerror())};  // NOLINT(concurrency-mt-unsafe): one thread
  NvmlCalls calls;
  find(loaded, "nvmlInit_v2", calls.init);
  find(loaded, "nvmlShutdown", calls.shutdown);
  find(loaded, "nvmlErrorString", calls.error_string);
  find(loaded, "nvmlDeviceGetCount_v2", calls.count);
  find(loaded, "nvmlDeviceGetHandleByIndex_v2", calls.device);
  find(loaded, "nvmlDeviceGetName", calls.name);
  find(loaded, "nvmlDeviceGetSupportedMemoryClocks", calls.memory_clocks);
  find(loaded, "nvmlDeviceGetSupportedGraphicsClocks", calls.graphics_clocks);
  find(loaded, "nvmlDeviceGetPowerManagementLimitConstraints", calls.limit_range);
  find(loaded, "nvmlDeviceGetPowerManagementDefaultLimit", calls.default_limit);
  find(loaded, "nvmlDeviceGetPowerManagementLimit", calls.limit);
  find(loaded, "nvmlDeviceGetPowerUsage", calls.power);
  find(loaded, "nvmlDeviceGetClockInfo", calls.clock);
  find(loaded, "nvmlDeviceGetUtilizationRates", calls.utilization);
  find(loaded, "nvmlDeviceGetTotalEnergyConsumption", calls.energy);
  find(loaded, "nvmlDeviceSetGpuLockedClocks", calls.lock_clocks);
  find(loaded, "nvmlDeviceResetGpuLockedClocks", calls.unlock_clocks);
  find(loaded, "nvmlDeviceSetPowerManagementLimit", calls.set_limit);
  if (calls.init == nullptr || calls.count == nullptr || calls.device == nullptr)
    return Error{
        fmt::format("{} is not NVIDIA's management library, or too old: it lacks nvmlInit_v2, "
                    "nvmlDeviceGetCount_v2 or nvmlDeviceGetHandleByIndex_v2",
                    library)};
  return calls;
}

std::string NvmlCalls::explain(NvmlCode code) const {
  if (code == kNvmlNoFunction) return "this version of NVIDIA's library cannot do that";
  const char* words = error_string == nullptr ? nullptr : error_string(code);
  return words == nullptr ? fmt::format("NVML error {}", code)
                          : fmt::format("{} (NVML error {})", words, code);
}

}  // namespace penstock::agent
