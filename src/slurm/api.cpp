#include "slurm/api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <string_view>

namespace penstock::slurm {
namespace {

bool is_one_name(std::string_view hosts) {
  return hosts.find_first_of("[,") == std::string_view::npos;
}

}  // namespace

JobsMessage load_job(const std::string& name, int& number) {
  job_info_msg_t* found = nullptr;
  const auto id = static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
  number = slurm_load_job(&found, id, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL) == 0 ? 0 : errno;
  return JobsMessage(found);
}

slurm_job_info_t* record_of(const job_info_msg_t& found, const std::string& name) {
  const std::span records(found.job_array, found.record_count);
  const auto gap = name.find('_');
  if (gap == std::string::npos) return records.empty() ? nullptr : &records.front();
  const auto task = static_cast<std::uint32_t>(std::strtoul(name.c_str() + gap + 1, nullptr, 10));
  for (const std::uint32_t wanted : {task, NO_VAL}) {
    const auto record = std::ranges::find(records, wanted, &slurm_job_info_t::array_task_id);
    if (record != records.end()) return &*record;
  }
  return nullptr;
}

std::string user_name(uid_t user) {
  std::array<char, 16384> text{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(user, &entry, text.data(), text.size(), &found);
  return found == nullptr ? "" : found->pw_name;
}

std::vector<std::string> names_of(const char* hosts) {
  if (hosts == nullptr || *hosts == '\0') return {};
  if (is_one_name(hosts)) return {hosts};
  std::vector<std::string> names;
  hostlist_t list = slurm_hostlist_create(hosts);
  while (char* name = slurm_hostlist_shift(list)) {
    names.emplace_back(name);
    std::free(name);  // NOLINT(cppcoreguidelines-no-malloc): handed out by libslurm
  }
  slurm_hostlist_destroy(list);
  return names;
}

std::vector<std::string> split_list(const char* list) {
  std::vector<std::string> words;
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    if (end > 0) words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace penstock::slurm
