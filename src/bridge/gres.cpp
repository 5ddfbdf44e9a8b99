#include "bridge/gres.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace penstock::bridge {
namespace {

constexpr std::int64_t kMostIndices = 4096;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// The text up to the next `mark` outside brackets, which is taken off `rest`.
std::string_view next_part(std::string_view& rest, char mark) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest.size() && (rest[end] != mark || depth > 0); ++end)
    depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
  const auto part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

void read_counts(std::string_view text, GpuCount& gpus) {
  while (!text.empty()) {
    const auto part = next_part(text, ':');
    if (const auto count = number(part); count && text.empty())
      gpus.count = *count;
    else if (gpus.type.empty())
      gpus.type = part;
  }
}

}  // namespace

std::vector<std::int64_t> numbers_of(std::string_view ranges) {
  std::vector<std::int64_t> numbers;
  while (!ranges.empty()) {
    auto range = next_part(ranges, ',');
    const auto first = number(next_part(range, '-'));
    const auto last = range.empty() ? first : number(range);
    if (!first || !last || *last - *first >= kMostIndices) continue;
    for (auto i = *first; i <= *last; ++i) numbers.push_back(i);
  }
  return numbers;
}

std::vector<GpuCount> gpus_of(std::string_view resources) {
  std::vector<GpuCount> found;
  while (!resources.empty()) {
    auto one = next_part(resources, ',');
    if (one.starts_with("gres:") || one.starts_with("gres/")) one.remove_prefix(5);
    if (!one.starts_with("gpu") || (one.size() > 3 && one[3] != ':' && one[3] != '=')) continue;
    GpuCount gpus{.count = 1};
    const auto bracket = one.find('(');
    const auto counts = one.substr(0, bracket);
    read_counts(counts.substr(std::min<std::size_t>(4, counts.size())), gpus);
    if (bracket != std::string_view::npos && one.substr(bracket).starts_with("(IDX:"))
      gpus.indices = numbers_of(one.substr(bracket + 5, one.rfind(')') - bracket - 5));
    found.push_back(std::move(gpus));
  }
  return found;
}

std::int64_t clock_of(std::string_view frequencies) {
  while (!frequencies.empty()) {
    auto one = next_part(frequencies, ',');
    if (one.starts_with("gres:")) one.remove_prefix(5);
    if (one.starts_with("gpu:")) return number(one.substr(4)).value_or(0);
  }
  return 0;
}

}  // namespace penstock::bridge
