#include "bridge/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace penstock::bridge {
namespace {

constexpr std::size_t kMostWords = 100'000;
constexpr std::size_t kLongestWord = 255;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 10 && std::ranges::all_of(text, is_digit);
}

bool is_variable(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kLongestWord && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

bool is_job_name(std::string_view text) {
  const auto gap = text.find('_');
  if (gap == std::string_view::npos) return is_number(text);
  return is_number(text.substr(0, gap)) && is_number(text.substr(gap + 1));
}

const nlohmann::json* Fields::find(const std::string& name) {
  known_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<bool> Fields::boolean(const std::string& name) {
  const auto* value = find(name);
  if (value == nullptr) return {};
  if (value->is_boolean()) return value->get<bool>();
  add_problem(name, "is neither true nor false");
  return {};
}

std::optional<std::int64_t> Fields::whole(const std::string& name, std::int64_t least,
                                          std::int64_t most) {
  const auto* value = find(name);
  if (value == nullptr) return {};
  const bool fits = value->is_number_unsigned() ? value->get<std::uint64_t>() <= std::uint64_t(most)
                                                : value->is_number_integer();
  if (fits && value->get<std::int64_t>() >= least && value->get<std::int64_t>() <= most)
    return value->get<std::int64_t>();
  add_problem(name, fmt::format("is not a whole number from {} to {}", least, most));
  return {};
}

std::optional<std::string> Fields::text(const std::string& name, std::size_t longest) {
  const auto* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_string()) {
    add_problem(name, "is not text");
    return {};
  }
  const auto& given = value->get_ref<const std::string&>();
  if (given.size() <= longest && given.find('\0') == std::string::npos) return given;
  add_problem(name, given.size() > longest ? fmt::format("is longer than {} bytes", longest)
                                           : "has a zero byte");
  return {};
}

std::optional<std::string> Fields::word(const std::string& name) {
  auto given = text(name);
  if (!given || is_word(*given)) return given;
  add_problem(name, "is not a word of letters, digits, '.', '_' and '-'");
  return {};
}

std::optional<std::vector<std::string>> Fields::words(const std::string& name) {
  const auto* value = find(name);
  if (value == nullptr) return {};
  const auto fits = [](const nlohmann::json& one) {
    return one.is_string() && is_word(one.get_ref<const std::string&>());
  };
  if (value->is_array() && value->size() <= kMostWords && std::ranges::all_of(*value, fits))
    return value->get<std::vector<std::string>>();
  add_problem(name, "is not a list of words of letters, digits, '.', '_' and '-'");
  return {};
}

std::optional<std::map<std::string, std::string>> Fields::environment(const std::string& name) {
  const auto* value = find(name);
  if (value == nullptr) return {};
  std::map<std::string, std::string> variables;
  bool fits = value->is_object();
  for (auto one = value->begin(); fits && one != value->end(); ++one) {
    fits = is_variable(one.key()) && one->is_string() &&
           one->get_ref<const std::string&>().find('\0') == std::string::npos;
    if (fits) variables.emplace(one.key(), one->get_ref<const std::string&>());
  }
  if (fits) return variables;
  add_problem(name, "is not an object of NAME: text, names of letters, digits and '_'");
  return {};
}

std::optional<std::string> Fields::job(const std::string& name) {
  const auto* value = find(name);
  if (value == nullptr) return {};
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > 0 &&
      value->get<std::uint64_t>() <= 0xffffffffU)
    return std::to_string(value->get<std::uint64_t>());
  if (value->is_string() && is_job_name(value->get_ref<const std::string&>()))
    return value->get<std::string>();
  add_problem(name, "is not a job: 12, or \"12_3\" for a task of an array");
  return {};
}

std::string Fields::needed_job() {
  auto given = job("job");
  if (!given && !object_.contains("job")) add_problem("job", "is missing");
  return given.value_or("");
}

std::string Fields::needed_text(const std::string& name, std::size_t longest) {
  auto given = text(name, longest);
  if (!given && !object_.contains(name)) add_problem(name, "is missing");
  return given.value_or("");
}

std::string Fields::problems() {
  for (auto member = object_.begin(); member != object_.end(); ++member)
    if (!known_.contains(member.key()))
      add_problem(is_word(member.key()) ? member.key() : "a member",
                  fmt::format("is not known here; there are: {}", fmt::join(known_, " ")));
  return fmt::format("{}", fmt::join(problems_, "; "));
}

}  // namespace penstock::bridge
