#include "io/traces/guess.h"

#include <algorithm>
#include <array>

namespace penstock {
namespace {

/// A text that only one format has near its beginning.
struct Sign {
  std::string_view text;
  std::string_view format;
};

constexpr auto kHeaders = std::to_array<Sign>({
    {"timestamp,duration,num_gpus", "philly"},
    {"arrival_time,length,cpus", "pai"},
    {"name,cpu_milli,memory_mib,num_gpu,gpu_milli", "openb"},
    {"name,time,application,num_replicas", "pollux"},
    {"submit_time,real_iteration", "elasticflow"},
    {"expect_time_list", "chronus"},
    {"gpu_num,cpu_num,node_num", "helios"},
    {"GpuType,GpuNumber", "andreas"},
    {"actual_s", "csv"},
    {"JobID|", "sacct"},
});

constexpr auto kJsonKeys = std::to_array<Sign>({
    {"\"schemaVersion\"", "wfformat"},
    {"\"submitted_time\"", "philly"},
    {"\"nb_res\"", "batsim"},
    {"\"subtime\"", "batsim"},
    {"\"job_state\"", "sacct"},
    {"\"allocation_nodes\"", "sacct"},
});

template <class Signs>
std::optional<FormatGuess> first_sign(std::string_view text, const Signs& signs) {
  for (const Sign& sign : signs)
    if (text.find(sign.text) != std::string_view::npos)
      return FormatGuess{sign.format, "it has '" + std::string(sign.text) + "' near its beginning"};
  return std::nullopt;
}

bool is_swf_row(std::string_view line) {
  const auto numeric = [](char c) {
    return (c >= '0' && c <= '9') || c == ' ' || c == '\t' || c == '-' || c == '.' || c == '\r';
  };
  return !line.empty() && std::ranges::all_of(line, numeric);
}

}  // namespace

std::optional<FormatGuess> guess_format(std::string_view text) {
  const std::size_t content = text.find_first_not_of(" \t\r\n");
  if (content == std::string_view::npos) return std::nullopt;
  text.remove_prefix(content);
  if (text.front() == '{' || text.front() == '[')
    return first_sign(text.substr(0, 65536), kJsonKeys);
  if (text.starts_with("SQLite format 3"))
    return FormatGuess{"journal", "it is an SQLite database"};
  if (text.front() == ';') return FormatGuess{"swf", "it begins with a ';' comment"};
  const std::string_view line = text.substr(0, text.find('\n'));
  if (const auto found = first_sign(line, kHeaders)) return found;
  if (std::ranges::count(line, '\t') >= 6)
    return FormatGuess{"gavel", "its rows have 7 or 10 tab-separated fields"};
  if (is_swf_row(line)) return FormatGuess{"swf", "its first line holds numbers only"};
  return std::nullopt;
}

}  // namespace penstock
