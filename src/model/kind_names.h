#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/profile.h"

namespace penstock {

/// The kinds of a catalogue by the names and aliases of their profiles. Letters A to Z count as a
/// to z.
class KindNames {
 public:
  /// Adds the profile's name and aliases. One that is there already keeps its kind.
  void add(const Profile& profile, KindId kind);
  /// Nothing if there is no such name.
  std::optional<KindId> find(std::string_view name) const;
  /// Names and aliases in lower case, sorted.
  std::vector<std::string> all() const;

 private:
  std::map<std::string, KindId, std::less<>> kinds_;  ///< by names in lower case
};

}  // namespace penstock
