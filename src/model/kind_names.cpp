#include "model/kind_names.h"

#include "base/text.h"

namespace penstock {

void KindNames::add(const Profile& profile, KindId kind) {
  kinds_.emplace(lower_case(profile.name), kind);
  for (const std::string& alias : profile.aliases) kinds_.emplace(lower_case(alias), kind);
}

std::optional<KindId> KindNames::find(std::string_view name) const {
  const auto found = kinds_.find(lower_case(name));
  if (found == kinds_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> KindNames::all() const {
  std::vector<std::string> names;
  names.reserve(kinds_.size());
  for (const auto& [name, kind] : kinds_) names.push_back(name);
  return names;
}

}  // namespace penstock
