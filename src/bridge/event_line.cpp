#include "bridge/event_line.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "bridge/fields.h"
#include "bridge/json_writer.h"

namespace penstock::bridge {
namespace {

constexpr std::int64_t kNoTask = 0xfffffffe;  // Slurm's word for "is not set"

std::string_view value_of(std::string_view line, std::string_view name) {
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, end);
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
      return word.substr(name.size() + 1);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return {};
}

std::optional<std::int64_t> number_of(std::string_view line, std::string_view name) {
  const auto text = value_of(line, name);
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end == text.data() || value < 0) return {};
  return value;
}

std::string lower(std::string_view text) {
  std::string out(text.substr(0, 32));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return is_word(out) ? out : "unknown";
}

}  // namespace

std::optional<std::string> event_of(std::string_view hook_line) {
  const auto job = number_of(hook_line, "JOBID");
  if (!job || *job == 0) return {};
  const std::string state = lower(value_of(hook_line, "JOBSTATE"));
  const auto array = number_of(hook_line, "ARRAYJOBID");
  const auto task = number_of(hook_line, "ARRAYTASKID");
  const auto exit = value_of(hook_line, "EXITCODE");
  const auto gap = std::min(exit.find(':'), exit.size());
  const std::string signal = "SIGNAL=" + std::string(exit.substr(std::min(gap + 1, exit.size())));
  JsonWriter out;
  out.open_object()
      .name("event")
      .text(state == "pending" ? "requeued" : "ended")
      .name("job")
      .number(*job);
  if (array && *array > 0 && task && *task != kNoTask)
    out.name("array_job").number(*array).name("array_task").number(*task);
  out.name("state").text(std::string_view(state));
  out.name("exit_code").number(number_of("CODE=" + std::string(exit.substr(0, gap)), "CODE"));
  out.name("exit_signal").number(number_of(signal, "SIGNAL"));
  out.name("started")
      .number(number_of(hook_line, "START"))
      .name("ended")
      .number(number_of(hook_line, "END"));
  return out.close_object().written();
}

}  // namespace penstock::bridge
