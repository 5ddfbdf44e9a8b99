#include "learn/net/net_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace penstock {
namespace {

constexpr const char* kGlobals = "penstock.global_features";

struct Line {
  const char* key;
  const char* meaning;
  std::string text{};
};

std::array<Line, 4> lines_of(const NetTexts& texts) {
  return {Line{kKindText, "kind of weights", std::string(texts.kind)},
          Line{"penstock.feature_version", "version of features",
               std::to_string(texts.feature_version)},
          Line{"penstock.item_features", "features of an item",
               fmt::format("{}", fmt::join(texts.item_features, " "))},
          Line{kGlobals, "features of the whole",
               fmt::format("{}", fmt::join(texts.global_features, " "))}};
}

}  // namespace

void put_texts(Weights& weights, const NetTexts& texts) {
  for (const Line& line : lines_of(texts)) weights.metadata[line.key] = line.text;
}

Result<Done> check_texts(const Weights& weights, const NetTexts& texts) {
  for (const Line& line : lines_of(texts)) {
    const auto text = stored_text(weights, line.key);
    if (!text) return text.error();
    if (*text != line.text)
      return Error{fmt::format("{}: trained with '{}', this program has '{}'; train anew",
                               line.meaning, *text, line.text)};
  }
  return Done{};
}

std::string stored_global_features(const Weights& weights) {
  const auto found = weights.metadata.find(kGlobals);
  return found == weights.metadata.end() ? std::string() : found->second;
}

}  // namespace penstock
