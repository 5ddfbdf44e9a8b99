// A libnvidia-ml.so.1 without GPUs, for tests. What its GPUs do lies in a text file, `key value` a
// line, that PENSTOCK_FAKE_NVML names: every process sees the same GPUs, and tests can look and
// meddle (fake_gpus.py). PENSTOCK_FAKE_NVML_GPUS and PENSTOCK_FAKE_NVML_TYPE say how many there
// are, and of which type. Keys that a test writes:
//   busy.0 0.5     how much of GPU 0 works
//   fail.NAME 4    function NAME answers with this code (fail.all: every function)
//   hang.NAME 1    function NAME does not return before the line is gone (hang.all)
//   lie.lock 1     clocks are not locked though it says so; lie.power, lie.energy, lie.count
//   likewise
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <thread>

namespace {

struct Type {
  std::string_view name;
  unsigned least_mhz;
  unsigned most_mhz;
  double idle_w;
  double peak_w;
};
constexpr auto kTypes = std::to_array<Type>({{"a100", 510, 1410, 58, 400},
                                             {"h100", 210, 1785, 70, 700},
                                             {"v100", 510, 1380, 40, 300},
                                             {"t4", 300, 1590, 10, 70}});
constexpr unsigned kStep = 15;
[[maybe_unused]] constexpr unsigned kMemoryMhz = 1215;
constexpr unsigned kLeastLimitPercent = 25;

const char* variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

unsigned gpu_count() {
  const char* text = variable("PENSTOCK_FAKE_NVML_GPUS");
  return *text == '\0' ? 4 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

const Type& gpu_type() {
  const std::string_view wanted = variable("PENSTOCK_FAKE_NVML_TYPE");
  for (const Type& type : kTypes)
    if (type.name == wanted) return type;
  return kTypes.front();
}

/// The file, kept by one process at a time; written whole, so that a kill leaves the old or the
/// new.
class Shared {
 public:
  Shared() : path_(variable("PENSTOCK_FAKE_NVML")) {
    lock_ = open((path_ + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    flock(lock_, LOCK_EX);
    std::ifstream in(path_);
    for (std::string key; in >> key;) in >> values_[key];
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { close(lock_); }

  double get(const std::string& key, double otherwise = 0) const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }
  void set(const std::string& key, double value) { values_[key] = value; }
  void erase(const std::string& key) { values_.erase(key); }
  void write() const {
    const std::string draft = path_ + ".new";
    std::FILE* out = std::fopen(draft.c_str(), "w");
    if (out == nullptr) return;
    for (const auto& [key, value] : values_) std::fprintf(out, "%s %.17g\n", key.c_str(), value);
    std::fclose(out);
    std::rename(draft.c_str(), path_.c_str());
  }

 private:
  std::string path_;
  int lock_ = -1;
  std::map<std::string, double> values_;
};

std::string key(const char* what, unsigned gpu) {
  return std::string(what) + "." + std::to_string(gpu);
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// p0 + p1 f + p3 f³ with f the part of the highest clock; the peak at f = 1.
double busy_watts(double part) {
  const Type& type = gpu_type();
  const double above = type.peak_w - type.idle_w;
  return type.idle_w + above * (0.3 * part + 0.7 * part * part * part);
}

/// The highest clock that the lock and the power limit allow.
unsigned clock_of(const Shared& shared, unsigned gpu) {
  const Type& type = gpu_type();
  auto mhz = static_cast<unsigned>(shared.get(key("lock", gpu), type.most_mhz));
  const double limit = shared.get(key("limit", gpu), type.peak_w);
  while (mhz > type.least_mhz && busy_watts(double(mhz) / type.most_mhz) > limit) mhz -= kStep;
  return mhz;
}

double watts_of(const Shared& shared, unsigned gpu) {
  const double busy = shared.get(key("busy", gpu));
  const double part = double(clock_of(shared, gpu)) / gpu_type().most_mhz;
  return gpu_type().idle_w + busy * (busy_watts(part) - gpu_type().idle_w);
}

/// Adds up the energy until now, before something changes.
void settle(Shared& shared, unsigned gpu) {
  const double at = now();
  const double since = shared.get(key("since", gpu), at);
  shared.set(key("joules", gpu),
             shared.get(key("joules", gpu)) + watts_of(shared, gpu) * (at - since));
  shared.set(key("since", gpu), at);
}

bool told_to_hang(const char* function) {
  const Shared shared;
  return shared.get(std::string("hang.") + function) != 0 || shared.get("hang.all") != 0;
}

/// What this function is told to answer; waits while it is told to hang.
int told(const char* function) {
  while (told_to_hang(function)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Shared shared;
  return int(shared.get(std::string("fail.") + function, shared.get("fail.all")));
}

unsigned index_of(void* device) {
  return static_cast<unsigned>(reinterpret_cast<std::size_t>(device)) - 1;
}

unsigned milli(double value) {
  return static_cast<unsigned>(std::lround(value * 1e3));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's names
extern "C" {

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

int nvmlInit_v2() {
  return told("nvmlInit_v2");
}

int nvmlShutdown() {
  return 0;
}

const char* nvmlErrorString(int code) {
  return code == 4 ? "Insufficient Permissions" : code == 9 ? "Driver Not Loaded" : "Fake Error";
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = Shared().get("lie.count") != 0 ? 4'000'000'000 : gpu_count();
  return told("nvmlDeviceGetCount_v2");
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(std::size_t{index} + 1);  // NOLINT(performance-no-int-to-ptr)
  return index < gpu_count() ? told("nvmlDeviceGetHandleByIndex_v2") : 2;
}

int nvmlDeviceGetName(void*, char* name, unsigned length) {
  std::snprintf(name, length, "Fake %s", std::string(gpu_type().name).c_str());
  return 0;
}

int nvmlDeviceGetPowerManagementLimitConstraints(void*, unsigned* least, unsigned* most) {
  *most = milli(gpu_type().peak_w);
  *least = *most / 100 * kLeastLimitPercent;
  return 0;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* limit) {
  *limit = milli(gpu_type().peak_w);
  return 0;
}

int nvmlDeviceGetPowerManagementLimit(void* device, unsigned* limit) {
  *limit = milli(Shared().get(key("limit", index_of(device)), gpu_type().peak_w));
  return 0;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* power) {
  if (const int code = told("nvmlDeviceGetPowerUsage"); code != 0) return code;
  const Shared shared;
  *power = shared.get("lie.power") != 0 ? 4'294'967'295 : milli(watts_of(shared, index_of(device)));
  return 0;
}

int nvmlDeviceGetClockInfo(void* device, int, unsigned* mhz) {
  const Shared shared;
  const bool busy = shared.get(key("busy", index_of(device))) > 0;
  *mhz = busy ? clock_of(shared, index_of(device)) : gpu_type().least_mhz;
  return int(shared.get("fail.nvmlDeviceGetClockInfo"));
}

int nvmlDeviceGetUtilizationRates(void* device, Utilization* use) {
  use->gpu = unsigned(Shared().get(key("busy", index_of(device))) * 100);
  use->memory = use->gpu / 2;
  return 0;
}

int nvmlDeviceSetPowerManagementLimit(void* device, unsigned milliwatts) {
  if (const int code = told("nvmlDeviceSetPowerManagementLimit"); code != 0) return code;
  if (milliwatts > milli(gpu_type().peak_w)) return 2;
  Shared shared;
  settle(shared, index_of(device));
  shared.set(key("limit", index_of(device)), milliwatts / 1e3);
  shared.write();
  return 0;
}

#ifndef PENSTOCK_FAKE_OLD  // drivers before Volta lack these

int nvmlDeviceGetSupportedMemoryClocks(void*, unsigned* count, unsigned* clocks) {
  *count = 1;
  *clocks = kMemoryMhz;
  return 0;
}

int nvmlDeviceGetSupportedGraphicsClocks(void*, unsigned memory, unsigned* count,
                                         unsigned* clocks) {
  if (memory != kMemoryMhz) return 6;
  const unsigned all = (gpu_type().most_mhz - gpu_type().least_mhz) / kStep + 1;
  if (*count < all) return 7;
  *count = all;
  for (unsigned i = 0; i < all; ++i) clocks[i] = gpu_type().most_mhz - i * kStep;
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  Shared shared;
  settle(shared, index_of(device));
  shared.write();
  const double joules = shared.get(key("joules", index_of(device)));
  const bool lies = shared.get("lie.energy") != 0;
  *millijoules = static_cast<unsigned long long>((lies ? 1e6 / (joules + 1) : joules) * 1e3);
  return int(shared.get("fail.nvmlDeviceGetTotalEnergyConsumption"));
}

int nvmlDeviceSetGpuLockedClocks(void* device, unsigned least, unsigned most) {
  if (const int code = told("nvmlDeviceSetGpuLockedClocks"); code != 0) return code;
  if (least > most || most > gpu_type().most_mhz) return 2;
  Shared shared;
  if (shared.get("lie.lock") != 0) return 0;
  settle(shared, index_of(device));
  shared.set(key("lock", index_of(device)), most);
  shared.write();
  return 0;
}

int nvmlDeviceResetGpuLockedClocks(void* device) {
  if (const int code = told("nvmlDeviceResetGpuLockedClocks"); code != 0) return code;
  Shared shared;
  settle(shared, index_of(device));
  shared.erase(key("lock", index_of(device)));
  shared.write();
  return 0;
}

#endif

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
