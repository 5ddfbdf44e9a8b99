#include "live/job/comment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace penstock {
namespace {

constexpr std::string_view kMark = "penstock:";
constexpr std::string_view kBlank = " \t\r\n,";
constexpr std::size_t kLongest = 64;  ///< of what is repeated in a complaint

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::uint32_t> count(std::string_view text) {
  constexpr std::uint32_t kMost = 1'000'000;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= 1 && value <= kMost ? std::optional(value) : std::nullopt;
}

bool read_profile(std::string_view value, UserOptions& user_options) {
  user_options.profile = value;
  return !value.empty();
}

/// "4", or "1-8".
bool read_gpus(std::string_view value, UserOptions& user_options) {
  const std::size_t dash = value.find('-');
  const auto least = count(value.substr(0, dash));
  const auto most = dash == std::string_view::npos ? least : count(value.substr(dash + 1));
  if (!least || !most || *least > *most) return false;
  user_options.gpus = UserOptions::Bounds{*least, *most};
  return true;
}

bool read_deadline(std::string_view value, UserOptions& user_options) {
  user_options.deadline_after = parse_duration(value);
  if (!user_options.deadline_after) user_options.deadline = parse_time(value);
  return user_options.deadline_after.has_value() || user_options.deadline.has_value();
}

bool read_priority(std::string_view value, UserOptions& user_options) {
  const auto priority = number(value);
  if (!priority || *priority < 1 || *priority > 5) return false;
  user_options.priority = priority;
  return true;
}

bool read_positive(std::string_view value, std::optional<double>& into) {
  const auto read = number(value);
  if (!read || *read <= 0) return false;
  into = read;
  return true;
}

bool read_batch(std::string_view value, UserOptions& user_options) {
  return read_positive(value, user_options.batch);
}

bool read_work(std::string_view value, UserOptions& user_options) {
  return read_positive(value, user_options.work);
}

bool read_checkpoint(std::string_view value, UserOptions& user_options) {
  user_options.checkpoint = value == "yes";
  return value == "yes" || value == "no";
}

bool read_grace(std::string_view value, UserOptions& user_options) {
  constexpr Duration kMost = std::chrono::hours(1);
  const auto grace = parse_duration(value);
  if (!grace || *grace > kMost) return false;
  user_options.grace = *grace;
  return true;
}

bool read_home(std::string_view value, UserOptions& user_options) {
  user_options.home = value;
  return !value.empty();
}

/// "20GB", or "1.5TB".
bool read_files(std::string_view value, UserOptions& user_options) {
  constexpr double kMost = 1e9;
  const bool tera = value.ends_with("TB");
  if (!tera && !value.ends_with("GB")) return false;
  const auto read = number(value.substr(0, value.size() - 2));
  if (!read || *read < 0 || *read > kMost) return false;
  user_options.files_gb = *read * (tera ? 1000 : 1);
  return true;
}

struct Key {
  std::string_view name;
  bool (*read)(std::string_view value, UserOptions& user_options);
  std::string_view possible;
};
constexpr std::array<Key, 10> kKeys{{
    {"profile", read_profile, "a kind of training, such as profile=resnet50"},
    {"gpus", read_gpus, "a number or bounds, such as gpus=1-8"},
    {"deadline", read_deadline, "a length of time or a moment, such as deadline=6h"},
    {"priority", read_priority, "1 to 5"},
    {"batch", read_batch, "samples, such as batch=256"},
    {"work", read_work, "samples in all, such as work=1.2e6"},
    {"checkpoint", read_checkpoint, "yes or no"},
    {"grace", read_grace, "at most an hour, such as grace=60s"},
    {"home", read_home, "the name of a site"},
    {"files", read_files, "gigabytes or terabytes, such as files=20GB"},
}};

std::string shortened(std::string_view text) {
  if (text.size() <= kLongest) return std::string(text);
  return std::string(text.substr(0, kLongest)) + "...";
}

void read_word(std::string_view word, ReadComment& comment) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const auto* key = std::ranges::find(kKeys, name, &Key::name);
  if (equals == std::string_view::npos || key == kKeys.end()) {
    std::string known;
    for (const Key& each : kKeys) known += fmt::format(" {}=", each.name);
    comment.problems.push_back(
        fmt::format("'{}' is not known; possible are:{}", shortened(word), known));
    return;
  }
  UserOptions changed = comment.user_options;
  const std::string_view value = word.substr(equals + 1);
  if (key->read(value, changed))
    comment.user_options = std::move(changed);
  else
    comment.problems.push_back(fmt::format("{}='{}' is not possible; possible: {}", name,
                                           shortened(value), key->possible));
}

}  // namespace

ReadComment read_comment(std::string_view comment) {
  ReadComment result;
  const std::size_t mark = comment.find(kMark);
  if (mark == std::string_view::npos) return result;
  result.is_for_us = true;
  std::string_view text = comment.substr(mark + kMark.size());
  text = text.substr(0, text.find(';'));
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    if (text.empty()) break;
    const std::string_view word = text.substr(0, text.find_first_of(kBlank));
    read_word(word, result);
    text.remove_prefix(word.size());
  }
  return result;
}

void apply(const UserOptions& user_options, Job& job) {
  if (user_options.priority) job.priority = *user_options.priority;
  if (user_options.deadline_after) job.deadline = job.submitted + *user_options.deadline_after;
  if (user_options.deadline) job.deadline = user_options.deadline;
  if (user_options.batch) job.batch = *user_options.batch;
  if (user_options.work) job.work = Work(*user_options.work);
  job.kind = user_options.profile;
  job.files_gb = static_cast<float>(user_options.files_gb);
  const bool elastic = user_options.gpus && user_options.gpus->least < user_options.gpus->most;
  job.pinned = !user_options.checkpoint && !elastic;
}

}  // namespace penstock
