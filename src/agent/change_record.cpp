#include "agent/change_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/descriptor.h"

namespace penstock::agent {
namespace {

using Json = nlohmann::json;

constexpr auto kWays = std::to_array<std::string_view>({"clock", "power", "command"});

std::optional<ChangedGpu> read_changed(const Json& object) {
  if (!object.is_object()) return {};
  const auto member = [&](const char* name) {
    return object.contains(name) ? object[name] : Json();
  };
  const Json index = member("index");
  const Json method = member("way");
  if (!index.is_number_unsigned() || index > 1023 || !method.is_string()) return {};
  const auto known = parse_method(method.get_ref<const std::string&>());
  if (!known) return {};
  ChangedGpu changed{.index = index.get<unsigned>(), .method = *known};
  if (const Json mhz = member("clock_mhz"); mhz.is_number_unsigned() && mhz < 100'000)
    changed.clock_mhz = mhz.get<unsigned>();
  if (const Json watts = member("limit_before_w"); watts.is_number())
    changed.limit_before = Watts(watts.get<double>());
  return changed;
}

Json changed_gpu_json(const ChangedGpu& changed) {
  Json object{{"index", changed.index}, {"way", name_of(changed.method)}};
  if (changed.clock_mhz) object["clock_mhz"] = *changed.clock_mhz;
  if (changed.limit_before) object["limit_before_w"] = changed.limit_before->value();
  return object;
}

Error failed(const std::string& path) {
  return Error{fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
}

Result<Done> write_whole(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.number() < 0) return failed(path);
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno != EINTR) return failed(path);
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  if (fsync(file.number()) != 0) return failed(path);
  return Done{};
}

}  // namespace

std::string_view name_of(ClockMethod method) {
  return kWays.at(static_cast<std::size_t>(method));
}

std::optional<ClockMethod> parse_method(std::string_view name) {
  const auto* const found = std::ranges::find(kWays, name);
  if (found == kWays.end()) return {};
  return static_cast<ClockMethod>(found - kWays.begin());
}

Result<ChangeRecord> ChangeRecord::open(const std::string& path) {
  ChangeRecord record(path);
  if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) return record;
  std::ifstream file(path);
  if (!file) return Error{fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return Error{path + ": is not a record of penstock agent"};
  for (const Json& object : list) {
    const auto changed = read_changed(object);
    if (!changed) return Error{path + ": is not a record of penstock agent"};
    record.changed_.push_back(*changed);
  }
  return record;
}

ChangeRecord ChangeRecord::assume_changed(const std::string& path, std::vector<ChangedGpu> all) {
  ChangeRecord record(path);
  record.changed_ = std::move(all);
  return record;
}

Result<Done> ChangeRecord::add(const ChangedGpu& changed) {
  auto all = changed_;
  std::erase_if(all, [&](const ChangedGpu& old) {
    return old.index == changed.index && old.method == changed.method;
  });
  all.push_back(changed);
  if (all == changed_) return Done{};
  auto written = write(all);
  if (written) changed_ = std::move(all);
  return written;
}

Result<Done> ChangeRecord::remove(unsigned index, ClockMethod method) {
  std::erase_if(changed_,
                [&](const ChangedGpu& old) { return old.index == index && old.method == method; });
  return write(changed_);
}

Result<Done> ChangeRecord::write(const std::vector<ChangedGpu>& changed) const {
  Json list = Json::array();
  for (const ChangedGpu& one : changed) list.push_back(changed_gpu_json(one));
  const std::string draft = path_ + ".new";
  if (auto written = write_whole(draft, list.dump() + "\n"); !written) return written;
  if (std::rename(draft.c_str(), path_.c_str()) != 0) return failed(path_);
  return Done{};
}

Result<Descriptor> acquire_agent_lock(const std::string& record, Duration timeout) {
  using Clock = std::chrono::steady_clock;
  if (const auto slash = record.rfind('/'); slash != std::string::npos && slash > 0)
    mkdir(record.substr(0, slash).c_str(), 0755);
  const std::string path = record + ".lock";
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.number() < 0)
    return Error{
        fmt::format("{}: cannot be written: {}; say where by --state", path, std::strerror(errno))};
  const auto until = Clock::now() + timeout;
  while (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (Clock::now() >= until)
      return Error{fmt::format("{}: another agent looks after this node", path)};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return file;
}

}  // namespace penstock::agent
