#pragma once

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "agent/nvml.h"

namespace penstock::agent {

/// Two fake A100s in a folder of their own, for the time of a test.
class FakeGpus {
 public:
  FakeGpus() {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-gpus-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    setenv("PENSTOCK_FAKE_NVML", path().c_str(), 1);
    setenv("PENSTOCK_FAKE_NVML_GPUS", "2", 1);
    setenv("PENSTOCK_FAKE_NVML_TYPE", "a100", 1);
  }
  FakeGpus(const FakeGpus&) = delete;
  FakeGpus& operator=(const FakeGpus&) = delete;
  ~FakeGpus() { std::filesystem::remove_all(folder_); }

  std::string folder() const { return folder_; }
  std::string record() const { return folder_ + "/record.json"; }
  std::string path() const { return folder_ + "/gpus"; }

  std::map<std::string, double> values() const {
    std::map<std::string, double> values;
    std::ifstream in(path());
    for (std::string key; in >> key;) in >> values[key];
    return values;
  }
  /// 0: not there.
  double get(const std::string& key) const {
    const auto all = values();
    return all.contains(key) ? all.at(key) : 0;
  }
  void set(const std::string& key, double value) const {
    auto all = values();
    all[key] = value;
    std::ofstream out(path());
    out.precision(17);  // times among them
    for (const auto& [name, number] : all) out << name << ' ' << number << '\n';
  }
  static Nvml open(const std::string& library = PENSTOCK_FAKE_NVML) {
    auto nvml = Nvml::open(library);
    PENSTOCK_CHECK(nvml);
    return std::move(*nvml);
  }

 private:
  std::string folder_;
};

inline std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace penstock::agent
