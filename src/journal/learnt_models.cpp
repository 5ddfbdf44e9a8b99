#include "journal/learnt_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/profiles/catalogue.h"

namespace penstock {
namespace {

using nlohmann::json;

std::string profile_text(const Profile& profile) {
  const FittedProfile entry{.profile = profile};
  return profiles_toml({&entry, 1});
}

std::optional<Profile> profile_in(const json& object, const char* name) {
  const auto text = object.find(name);
  if (text == object.end() || !text->is_string()) return std::nullopt;
  auto profiles = parse_profiles(text->get<std::string>(), "");
  if (!profiles || profiles->size() != 1) return std::nullopt;
  return std::move(profiles->front());
}

bool are_the_same(const Profile& a, const Profile& b) {
  return a.name == b.name && a.gpu == b.gpu;
}

}  // namespace

std::string learnt_json(const std::vector<LearntProfile>& learnt) {
  json all = json::array();
  for (const auto& [was, is] : learnt)
    all.push_back({{"was", profile_text(was)}, {"is", profile_text(is)}});
  const json detail{
      {"text", fmt::format("models of {} trainings were fitted to what was seen", learnt.size())},
      {"learnt", std::move(all)}};
  return detail.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<LearntProfile> parse_learnt(const std::string& detail) {
  std::vector<LearntProfile> learnt;
  const json parsed = json::parse(detail, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("learnt")) return learnt;
  for (const json& each : parsed["learnt"]) {
    if (!each.is_object()) continue;
    auto was = profile_in(each, "was");
    auto is = profile_in(each, "is");
    if (was && is && are_the_same(*was, *is)) learnt.push_back({*std::move(was), *std::move(is)});
  }
  return learnt;
}

Result<std::vector<LearntProfile>> read_learnt_models(JournalReader& journal) {
  std::string detail;
  const auto done = journal.each("models", [&](const JournalEntry& entry) {
    detail = entry.detail;
    return true;
  });
  if (!done) return done.error();
  return parse_learnt(detail);
}

std::vector<LearntProfile> apply_learnt(const std::vector<LearntProfile>& learnt,
                                        std::vector<Profile>& catalogue) {
  std::vector<LearntProfile> taken;
  for (const LearntProfile& each : learnt) {
    const auto found = std::ranges::find_if(
        catalogue, [&](const Profile& profile) { return are_the_same(profile, each.was); });
    if (found == catalogue.end() || profile_text(*found) != profile_text(each.was)) continue;
    *found = each.is;
    taken.push_back(each);
  }
  return taken;
}

std::vector<LearntProfile> merge_learnt(std::vector<LearntProfile> before,
                                        const std::vector<LearntProfile>& after) {
  for (const LearntProfile& each : after) {
    const auto found = std::ranges::find_if(
        before, [&](const LearntProfile& other) { return are_the_same(other.is, each.is); });
    if (found == before.end())
      before.push_back(each);
    else
      found->is = each.is;  // it was learnt of what the first had begun with
  }
  return before;
}

}  // namespace penstock
