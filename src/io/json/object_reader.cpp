#include "io/json/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {

std::optional<std::string> not_in_range(const JsonValue& value, JsonRange range, bool whole) {
  const std::string_view kind = whole ? "a whole number" : "a number";
  if (value.kind() == JsonKind::text)
    return fmt::format("{} is a text; it must be {}", in_quotes(value.text()), kind);
  if (value.kind() != JsonKind::number) return fmt::format("must be {}", kind);
  const double number = value.number();
  if (whole && number != std::floor(number)) return fmt::format("{} is not a whole number", number);
  const bool enough = range.above ? number > range.least : number >= range.least;
  if (enough && number <= range.most) return std::nullopt;
  return fmt::format("must be {} {} and at most {}; it is {}", range.above ? "above" : "at least",
                     range.least, range.most, number);
}

ObjectReader::ObjectReader(JsonValue object, std::string path, JsonProblems& problems,
                           std::span<const std::string_view> known)
    : ObjectReader(object, std::move(path), problems) {
  for (auto member = object_.first(); member; member = member->next()) {
    const std::string_view key = member->key();
    if (std::ranges::find(known, key) != known.end()) continue;
    const std::string meant = did_you_mean(key, known);
    problem(key, "is not known" + (meant.empty() ? "; there are: " + listed(known) : meant));
  }
}

std::optional<JsonValue> ObjectReader::value(std::string_view key) {
  const auto found = object_.find(key);
  if (!found) problem(key, "is missing");
  return found;
}

std::optional<double> ObjectReader::number(std::string_view key, JsonRange range) {
  const auto found = value(key);
  if (!found) return std::nullopt;
  if (const auto wrong = not_in_range(*found, range, false)) {
    problem(key, *wrong);
    return std::nullopt;
  }
  return found->number();
}

std::optional<std::uint64_t> ObjectReader::whole(std::string_view key, JsonRange range) {
  const auto found = value(key);
  if (!found) return std::nullopt;
  if (const auto wrong = not_in_range(*found, range, true)) {
    problem(key, *wrong);
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(found->number());
}

std::optional<std::string_view> ObjectReader::text(std::string_view key) {
  const auto found = value(key);
  if (!found) return std::nullopt;
  if (found->kind() == JsonKind::text) return found->text();
  problem(key, "must be a text");
  return std::nullopt;
}

std::optional<ObjectReader> ObjectReader::object(std::string_view key,
                                                 std::span<const std::string_view> known) {
  const auto found = value(key);
  return found ? inner(*found, known) : std::nullopt;
}

std::optional<ObjectReader> ObjectReader::object(std::string_view key) {
  const auto found = value(key);
  return found ? inner(*found) : std::nullopt;
}

std::optional<ObjectReader> ObjectReader::inner(JsonValue member,
                                                std::span<const std::string_view> known) {
  if (member.kind() == JsonKind::object)
    return ObjectReader(member, json_path(path_, member.key()), *problems_, known);
  problem(member.key(), "must be an object with: " + listed(known));
  return std::nullopt;
}

std::optional<ObjectReader> ObjectReader::inner(JsonValue member) {
  if (member.kind() == JsonKind::object)
    return ObjectReader(member, json_path(path_, member.key()), *problems_);
  problem(member.key(), "must be an object");
  return std::nullopt;
}

void ObjectReader::problem(std::string_view key, std::string_view what) {
  problems_->add(json_path(path_, key), what);
}

std::string listed(std::span<const std::string_view> names) {
  constexpr std::size_t kMostListed = 16;
  if (names.empty()) return "none";
  std::string out;
  for (const std::string_view name : names.first(std::min(names.size(), kMostListed)))
    out += (out.empty() ? "" : " ") + json_path("", name);
  return out + (names.size() > kMostListed ? " …" : "");
}

namespace {

constexpr std::size_t kMostShown = 100;

}  // namespace

void JsonProblems::add(std::string_view path, std::string_view what) {
  if (++count_ > kMostShown) return;
  if (!text_.empty()) text_ += '\n';
  text_ += file_;
  text_ += ": ";
  if (!path.empty()) text_ += fmt::format("{}: ", path);
  text_ += what;
}

Error JsonProblems::as_error() const {
  if (count_ <= kMostShown) return {text_};
  return {fmt::format("{}\n{}: and {} problems more", text_, file_, count_ - kMostShown)};
}

}  // namespace penstock
