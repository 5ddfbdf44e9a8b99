#include "app/run_name.h"

#include <fmt/format.h>

namespace penstock {

std::string run_label(const PolicyChoice& policy, const Options& swept) {
  std::string label = policy.name;
  for (const auto& [key, value] : policy.options) label += fmt::format(" {}={}", key, value);
  for (const auto& [key, value] : swept) label += fmt::format(" {}={}", key, value);
  return label;
}

std::string safe_name(std::string_view label) {
  std::string name;
  for (const char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '=' || c == '_';
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "run" : name;
}

}  // namespace penstock
