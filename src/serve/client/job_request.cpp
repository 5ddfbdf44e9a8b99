#include "serve/client/job_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "io/text/file.h"
#include "io/text/number.h"
#include "live/job/comment.h"
#include "serve/http/text_encoding.h"

namespace penstock {
namespace {

constexpr std::uint64_t kLargestScript = 1u << 20;

constexpr std::string_view kSeparators = " ,;=";

}  // namespace

Result<std::string> write_comment(const CommentFields& words) {
  if (words.empty()) return std::string();
  std::string comment = "penstock:";
  for (const auto& [name, value] : words) {
    const bool breaks = value.find_first_of(kSeparators) != std::string::npos;
    if (breaks || value.empty() || !is_printable_utf8(value))
      return Error{fmt::format("{}: '{}' is no word: it must be without blanks and ',;='", name,
                               terminal_safe(value))};
    comment += fmt::format(" {}={}", name, value);
  }
  const ReadComment read = read_comment(comment);
  if (!read.problems.empty())
    return Error{terminal_safe(fmt::format("{}", fmt::join(read.problems, "; ")))};
  return comment;
}

namespace {

/// "2m" is "2min".
std::string with_minutes(std::string text) {
  const bool minutes = text.size() > 1 && text.ends_with('m') && text[text.size() - 2] >= '0' &&
                       text[text.size() - 2] <= '9';
  return minutes ? text + "in" : text;
}

/// For a shell: 'it'\''s'.
std::string quoted_for_shell(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += R"('\'')";
    else
      quoted += c;
  }
  return quoted + "'";
}

bool is_shell(std::string_view first_line) {
  constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "ksh", "zsh"};
  first_line = trim(first_line.substr(std::min<std::size_t>(2, first_line.size())));
  std::string_view program = first_line.substr(0, first_line.find(' '));
  if (program.ends_with("/env") && first_line.size() > program.size()) {
    first_line = trim(first_line.substr(program.size()));
    program = first_line.substr(0, first_line.find(' '));
  }
  program = program.substr(program.rfind('/') + 1);
  return std::ranges::find(kShells, program) != kShells.end();
}

/// Whether the words for sbatch, which end where the script begins, already ask for GPUs.
bool asks_for_gpus(std::span<const std::string> words) {
  bool value_may_follow = false;
  for (const std::string& word : words) {
    if (!word.starts_with('-') && !value_may_follow) return false;
    if (word.starts_with("--gpus") || word.starts_with("--gres") || word.starts_with("-G"))
      return true;
    value_may_follow = word.starts_with('-') && word.find('=') == std::string::npos;
  }
  return false;
}

}  // namespace

CommentFields comment_fields(const SubmitRequest& request) {
  CommentFields words;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.emplace_back(name, value);
  };
  add("profile", request.profile);
  add("gpus", request.gpus);
  add("deadline", with_minutes(request.deadline));
  add("priority", request.priority);
  add("batch", request.batch);
  add("work", request.work);
  add("checkpoint", request.checkpoint ? "yes" : "");
  add("grace", with_minutes(request.grace));
  return words;
}

std::optional<std::uint32_t> least_gpus(const std::string& gpus) {
  const auto least = parse_number<std::uint32_t>(gpus.substr(0, gpus.find('-')));
  return least ? std::optional(*least) : std::nullopt;
}

Result<std::string> with_arguments(const std::string& script,
                                   const std::vector<std::string>& words) {
  if (!script.starts_with("#!"))
    return Error{fmt::format("{}: must begin with #!, such as #!/bin/sh", words.front())};
  if (words.size() == 1) return script;
  const std::size_t end = std::min(script.find('\n'), script.size());
  if (!is_shell(std::string_view(script).substr(0, end)))
    return Error{
        fmt::format("{}: only scripts for a shell can be given arguments; possible: "
                    "penstock submit --sbatch",
                    words.front())};
  std::string line = "set --";
  for (std::size_t i = 1; i < words.size(); ++i) line += " " + quoted_for_shell(words[i]);
  return script.substr(0, end) + "\n" + line + script.substr(end);
}

Result<std::vector<std::string>> sbatch_line(const SubmitRequest& request) {
  auto comment = write_comment(comment_fields(request));
  if (!comment) return std::move(comment).error();
  std::vector<std::string> line{"sbatch"};
  if (!comment->empty()) line.push_back("--comment=" + *comment);
  if (!request.name.empty()) line.push_back("--job-name=" + request.name);
  if (!request.partition.empty()) line.push_back("--partition=" + request.partition);
  const auto gpus = least_gpus(request.gpus);
  if (gpus && !asks_for_gpus(request.words)) line.push_back(fmt::format("--gpus={}", *gpus));
  line.insert(line.end(), request.words.begin(), request.words.end());
  return line;
}

Result<nlohmann::ordered_json> submission_json(const SubmitRequest& job) {
  const CommentFields words = comment_fields(job);
  if (auto comment = write_comment(words); !comment) return std::move(comment).error();
  const auto text = read_file(job.words.front(), kLargestScript);
  if (!text) return text.error();
  auto script = with_arguments(*text, job.words);
  if (!script) return std::move(script).error();
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (error) return Error{"the present folder: " + error.message()};
  nlohmann::ordered_json body{{"script", *script}, {"work_dir", here.string()}};
  const std::string file = std::filesystem::path(job.words.front()).filename().string();
  body["name"] = job.name.empty() ? file : job.name;
  if (!job.partition.empty()) body["partition"] = job.partition;
  if (!job.site.empty()) body["site"] = job.site;
  for (const auto& [name, value] : words)
    if (name != "gpus") body[name] = value;
  if (job.checkpoint) body["checkpoint"] = true;
  if (const auto least = least_gpus(job.gpus)) {
    const std::size_t dash = job.gpus.find('-');
    body["gpus"] = *least;
    body["gpus_least"] = *least;
    body["gpus_most"] =
        dash == std::string::npos ? *least : least_gpus(job.gpus.substr(dash + 1)).value_or(*least);
  }
  return body;
}

}  // namespace penstock
