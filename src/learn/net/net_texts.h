#pragma once

#include <span>

#include "learn/net/weights.h"

namespace penstock {

/// What a network is for and what it sees, as the texts of its weights file tell it.
struct NetTexts {
  std::string_view kind;
  int feature_version = 0;
  std::span<const std::string_view> item_features{};
  std::span<const std::string_view> global_features{};
};

/// Before the names of texts that only people read: "about.command".
inline constexpr const char* kAboutPrefix = "about.";
/// The text that tells what a file of weights is.
inline constexpr const char* kKindText = "penstock.kind";

void put_texts(Weights& weights, const NetTexts& texts);
/// Refuses a network of another kind or with other features, and says which.
Result<Done> check_texts(const Weights& weights, const NetTexts& texts);
/// What the critic of a stored network sees beside the items; nothing if it is of no such file.
std::string stored_global_features(const Weights& weights);

}  // namespace penstock
