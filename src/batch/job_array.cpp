#include "batch/job_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "io/text/number.h"

namespace penstock {
namespace {

/// One word for a POSIX shell.
std::string shell_word(std::string_view word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'')
      text += R"('\'')";
    else
      text += c;
  }
  return text + "'";
}

/// The text up to the separator, which are both taken off `rest`.
std::string_view first_part(std::string_view& rest, char separator) {
  const std::size_t at = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return part;
}

/// One line of squeue's: the array's number, the state, and why it waits.
struct TaskLine {
  std::uint64_t job = 0;
  std::string_view state{};
  std::string_view reason{};
};

TaskLine parse_line(std::string_view line) {
  const auto job = parse_number<std::uint64_t>(first_part(line, ' '));
  const std::string_view state = first_part(line, ' ');
  return {job ? *job : 0, state, line};
}

bool has_ended(std::string_view state) {
  static constexpr auto kEnded = std::to_array<std::string_view>(
      {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "PREEMPTED",
       "OUT_OF_MEMORY", "REVOKED", "TIMEOUT"});
  return std::ranges::find(kEnded, state) != kEnded.end();
}

}  // namespace

std::string ranges_text(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    const std::size_t first = numbers[i];
    std::size_t last = first;
    for (++i; i < numbers.size() && numbers[i] == last + 1; ++i) ++last;
    if (!text.empty()) text += ',';
    text += last == first ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

Result<std::vector<std::size_t>> parse_ranges(std::string_view text, std::size_t bound) {
  std::set<std::size_t> numbers;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = first_part(rest, ',');
    const std::size_t dash = part.find('-');
    const auto first = parse_number<std::size_t>(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_number<std::size_t>(part.substr(dash + 1));
    if (!first || !last || *last < *first)
      return Error{fmt::format("'{}' is not a list of numbers such as 0-3,7", text)};
    if (*last >= bound)
      return Error{fmt::format("there is no {}; the last is {}", *last, bound - 1)};
    for (std::size_t i = *first; i <= *last; ++i) numbers.insert(i);
  }
  if (numbers.empty()) return Error{"is an empty list; write numbers such as 0-3,7"};
  return std::vector<std::size_t>(numbers.begin(), numbers.end());
}

std::vector<std::string> sbatch_words(const ArrayRequest& request,
                                      const std::filesystem::path& script) {
  std::string array = fmt::format("--array=0-{}", request.tasks - 1);
  if (request.at_once > 0) array += fmt::format("%{}", request.at_once);
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--job-name=" + request.name,
                                 array,
                                 fmt::format("--cpus-per-task={}", request.cpus),
                                 "--open-mode=append",
                                 "--output=" + (request.logs / "%A_%a.log").string()};
  if (!request.partition.empty()) words.push_back("--partition=" + request.partition);
  if (!request.time.empty()) words.push_back("--time=" + request.time);
  words.insert(words.end(), request.more.begin(), request.more.end());
  words.push_back(script.string());
  return words;
}

std::string array_script(const std::vector<std::string>& words) {
  std::string text = "#!/bin/sh\nexec";
  for (const std::string& word : words) text += " " + shell_word(word);
  return text + "\n";
}

std::optional<std::string> submitted_job(std::string_view printed) {
  const std::string_view number = printed.substr(0, printed.find_first_not_of("0123456789"));
  if (number.empty()) return std::nullopt;
  return std::string(number);
}

std::vector<std::string> squeue_words(const std::string& name) {
  return {"squeue", "--noheader", "--array", "--states=all", "--name=" + name, "--format=%F %T %r"};
}

ArrayTasks parse_tasks(std::string_view printed) {
  ArrayTasks tasks;
  std::uint64_t newest = 0;
  while (!printed.empty()) {
    const TaskLine line = parse_line(first_part(printed, '\n'));
    if (line.job == 0) continue;
    if (line.job > newest) tasks.cancelled = 0;
    newest = std::max(newest, line.job);
    if (line.state == "PENDING") {
      if (tasks.waiting++ == 0) tasks.why_waiting = line.reason;
    } else if (!has_ended(line.state)) {
      ++tasks.running;
    } else if (line.state == "CANCELLED" && line.job == newest) {
      ++tasks.cancelled;
    }
  }
  if (newest > 0) tasks.job = fmt::format("{}", newest);
  return tasks;
}

}  // namespace penstock
