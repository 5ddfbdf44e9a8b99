#include "agent/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

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

namespace {

constexpr unsigned kMostGpus = 1024;
constexpr unsigned kMostClocks = 4096;
// Beyond these a reading is a lie: no GPU is near.
constexpr unsigned kMostMilliwatts = 10'000'000;
constexpr unsigned kHighestClockMhz = 20'000;

/// One number a GPU tells, if it does and it is not above `most`.
class Questions {
 public:
  Questions(const NvmlCalls& calls, unsigned index, std::vector<std::string>& problems)
      : calls_(calls), index_(index), problems_(problems) {}

  bool fine(NvmlCode code, const char* what) {
    if (code == kNvmlSuccess) return true;
    if (code != kNvmlNotSupported && code != kNvmlNoFunction)
      add_problem(what, calls_.explain(code));
    return false;
  }
  std::optional<unsigned> number(NvmlCode code, const char* what, unsigned value, unsigned most) {
    if (!fine(code, what)) return {};
    if (value <= most) return value;
    add_problem(what, fmt::format("{} is not believable", value));
    return {};
  }

 private:
  void add_problem(const char* what, const std::string& text) {
    problems_.push_back(fmt::format("GPU {}: {}: {}", index_, what, text));
  }

  const NvmlCalls& calls_;
  unsigned index_;
  std::vector<std::string>& problems_;
};

std::optional<Watts> watts(std::optional<unsigned> milliwatts) {
  if (!milliwatts) return {};
  return Watts(*milliwatts / 1e3);
}

std::vector<unsigned> clocks_of(const NvmlCalls& calls, void* device) {
  unsigned count = kMostClocks;
  std::vector<unsigned> memory(count);
  if (ask(calls.memory_clocks, device, &count, memory.data()) != kNvmlSuccess || count == 0 ||
      count > kMostClocks)
    return {};
  memory.resize(count);
  count = kMostClocks;
  std::vector<unsigned> graphics(count);
  if (ask(calls.graphics_clocks, device, std::ranges::max(memory), &count, graphics.data()) !=
          kNvmlSuccess ||
      count > kMostClocks)
    return {};
  graphics.resize(count);
  std::ranges::sort(graphics);
  return graphics;
}

std::optional<NvmlFailure> refusal(const NvmlCalls& calls, NvmlCode code) {
  if (code == kNvmlSuccess) return {};
  NvmlFailure refused{.text = calls.explain(code)};
  if (code == kNvmlNoPermission) refused.kind = NvmlFailure::Kind::no_permission;
  if (code == kNvmlNotSupported || code == kNvmlNoFunction)
    refused.kind = NvmlFailure::Kind::not_supported;
  return refused;
}

}  // namespace

Nvml::Nvml(std::unique_ptr<NvmlCalls> calls) : calls_(std::move(calls)) {}
Nvml::Nvml(Nvml&&) noexcept = default;

Nvml::~Nvml() {
  if (calls_ != nullptr) ask(calls_->shutdown);
}

Result<Nvml> Nvml::open(const std::string& library) {
  auto calls = NvmlCalls::load(library);
  if (!calls) return std::move(calls).error();
  const NvmlCode code = calls->init();
  if (code == kNvmlNoDriver)
    return Error{
        fmt::format("no NVIDIA driver is loaded: {}; possible: modprobe nvidia, or no agent here",
                    calls->explain(code))};
  if (code == kNvmlNoPermission)
    return Error{fmt::format("no permission to talk to NVIDIA's driver: {}", calls->explain(code))};
  if (code != kNvmlSuccess)
    return Error{fmt::format("NVIDIA's library does not start: {}", calls->explain(code))};
  Nvml nvml(std::make_unique<NvmlCalls>(*calls));
  if (auto found = nvml.find_gpus(); !found) return std::move(found).error();
  return nvml;
}

Result<Done> Nvml::find_gpus() {
  unsigned count = 0;
  if (const NvmlCode code = calls_->count(&count); code != kNvmlSuccess)
    return Error{"cannot count the GPUs: " + calls_->explain(code)};
  if (count == 0)
    return Error{"NVIDIA's library finds no GPU on this node; possible: no agent here"};
  if (count > kMostGpus)
    return Error{fmt::format("NVIDIA's library speaks of {} GPUs, which nobody believes", count)};
  for (unsigned index = 0; index < count; ++index) {
    void* device = nullptr;
    if (const NvmlCode code = calls_->device(index, &device); code != kNvmlSuccess)
      return Error{fmt::format("cannot reach GPU {}: {}", index, calls_->explain(code))};
    gpus_.push_back({.device = device, .traits = look_up(device)});
  }
  return Done{};
}

GpuTraits Nvml::look_up(void* device) const {
  GpuTraits traits{.name = "GPU", .clocks = clocks_of(*calls_, device)};
  std::array<char, 97> name{};
  if (ask(calls_->name, device, name.data(), unsigned{96}) == kNvmlSuccess)
    traits.name = name.data();
  unsigned least = 0;
  unsigned most = 0;
  if (ask(calls_->limit_range, device, &least, &most) == kNvmlSuccess && least <= most &&
      most <= kMostMilliwatts) {
    traits.least_limit = watts(least);
    traits.most_limit = watts(most);
  }
  return traits;
}

Reading Nvml::read(unsigned index) const {
  void* device = gpus_[index].device;
  Reading reading;
  Questions questions(*calls_, index, reading.problems);
  unsigned value = 0;
  NvmlCode code = ask(calls_->power, device, &value);
  reading.power = watts(questions.number(code, "power", value, kMostMilliwatts));
  code = ask(calls_->clock, device, kNvmlClockSm, &value);
  reading.clock_mhz = questions.number(code, "clock", value, kHighestClockMhz);
  code = ask(calls_->limit, device, &value);
  reading.limit = watts(questions.number(code, "power limit", value, kMostMilliwatts));
  NvmlUtilization use;
  code = ask(calls_->utilization, device, &use);
  if (const auto percent = questions.number(code, "utilization", use.gpu, 100))
    reading.utilization = *percent / 100.0;
  unsigned long long millijoules = 0;
  if (questions.fine(ask(calls_->energy, device, &millijoules), "energy counter"))
    reading.energy = Joules(static_cast<double>(millijoules) / 1e3);
  return reading;
}

std::optional<NvmlFailure> Nvml::lock_clock(unsigned index, unsigned least, unsigned most) const {
  return refusal(*calls_, ask(calls_->lock_clocks, gpus_[index].device, least, most));
}

std::optional<NvmlFailure> Nvml::unlock_clock(unsigned index) const {
  return refusal(*calls_, ask(calls_->unlock_clocks, gpus_[index].device));
}

std::optional<NvmlFailure> Nvml::limit_power(unsigned index, Watts limit) const {
  const auto milliwatts = static_cast<unsigned>(std::lround(limit.value() * 1e3));
  return refusal(*calls_, ask(calls_->set_limit, gpus_[index].device, milliwatts));
}

Result<Watts> Nvml::default_limit(unsigned index) const {
  unsigned value = 0;
  const NvmlCode code = ask(calls_->default_limit, gpus_[index].device, &value);
  if (code != kNvmlSuccess) return Error{calls_->explain(code)};
  return Watts(value / 1e3);
}

}  // namespace penstock::agent
