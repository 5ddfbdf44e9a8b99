#include "io/traces/tres.h"

#include <algorithm>
#include <optional>

#include "io/text/number.h"

namespace penstock {
namespace {

/// What stands before the next `separator`; it is taken off the text.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view item = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

void add_type(NamedGpus& gpus, std::string_view type) {
  gpus.types += (gpus.types.empty() ? "" : "|") + std::string(type);
}

}  // namespace

NamedGpus gpus_in_tres(std::string_view text) {
  constexpr std::string_view kGpu = "gres/gpu";
  NamedGpus gpus;
  std::uint32_t all = 0;
  while (!text.empty()) {
    const std::string_view item = take(text, ',');
    const auto equals = item.find('=');
    if (!item.starts_with(kGpu) || equals == std::string_view::npos) continue;
    const auto count = parse_number<std::uint32_t>(item.substr(equals + 1));
    if (!count) continue;
    if (item[kGpu.size()] == '=') all = *count;
    if (item[kGpu.size()] != ':') continue;
    gpus.count += *count;
    add_type(gpus, item.substr(kGpu.size() + 1, equals - kGpu.size() - 1));
  }
  gpus.count = std::max(all, gpus.count);
  return gpus;
}

NamedGpus gpus_in_gres(std::string_view text) {
  NamedGpus gpus;
  while (!text.empty()) {
    std::string_view item = take(text, ',');
    std::string_view word = take(item, ':');
    if (word == "gres") word = take(item, ':');
    if (word != "gpu") continue;
    word = take(item, ':');
    auto count = parse_number<std::uint32_t>(word);
    if (!count && !word.empty()) {
      add_type(gpus, word);
      count = parse_number<std::uint32_t>(take(item, ':'));
    }
    gpus.count += count ? *count : 1;
  }
  return gpus;
}

}  // namespace penstock
