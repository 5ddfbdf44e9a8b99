#include "serve/gpu_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/text/nearest.h"
#include "model/gpu_type.h"

namespace penstock {

GpuNames::GpuNames(const toml::table& root) {
  for (const GpuType& type : gpu_catalogue()) names_.push_back(type.name);
  const auto described = root["gpu_type"];
  const auto add = [&](const toml::table& type) {
    if (const auto name = type["name"].value<std::string>()) names_.push_back(*name);
  };
  if (const toml::table* one = described.as_table()) add(*one);
  if (const toml::array* several = described.as_array())
    for (const toml::node& each : *several)
      if (const toml::table* type = each.as_table()) add(*type);
}

std::string GpuNames::plain(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return name;
}

std::optional<std::string> GpuNames::lack(const std::string& name) const {
  if (std::ranges::find(names_, plain(name)) != names_.end()) return std::nullopt;
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  return fmt::format("there is no GPU type '{}'; there are: {}{}", name, fmt::join(names_, " "),
                     did_you_mean(name, known));
}

}  // namespace penstock
