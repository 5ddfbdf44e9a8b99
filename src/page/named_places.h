#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace penstock {

/// Where names stand in a list, which must outlive it; of equal ones the first.
class NamedPlaces {
 public:
  explicit NamedPlaces(std::span<const std::string> names) {
    for (std::uint32_t i = 0; i < names.size(); ++i) places_.emplace(names[i], i);
  }
  std::optional<std::uint32_t> of(std::string_view name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> places_;
};

}  // namespace penstock
