#include "policy/option_values.h"

#include <fmt/format.h>

#include <charconv>

namespace penstock {
namespace {

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Result<double> number_of(const Options& options, std::string_view name) {
  const std::string& text = options.find(name)->second;
  const auto value = parse<double>(text);
  if (value && *value >= 0) return *value;
  return Error{fmt::format("{}: '{}' is not a number from 0 up", name, text)};
}

Result<std::uint32_t> whole_of(const Options& options, std::string_view name, std::uint32_t least) {
  const std::string& text = options.find(name)->second;
  const auto value = parse<std::uint32_t>(text);
  if (value && *value >= least) return *value;
  return Error{fmt::format("{}: '{}' is not a whole number from {} up", name, text, least)};
}

Result<Duration> duration_of(const Options& options, std::string_view name) {
  const std::string& text = options.find(name)->second;
  const auto value = parse_duration(text);
  if (value && *value > Duration::zero()) return *value;
  return Error{fmt::format("{}: '{}' is not a length of time such as '10 min'", name, text)};
}

Result<std::optional<Duration>> duration_or_none(const Options& options, std::string_view name) {
  if (options.find(name)->second == "none") return std::optional<Duration>{};
  const auto given = duration_of(options, name);
  if (!given) return given.error();
  return std::optional(*given);
}

}  // namespace penstock
