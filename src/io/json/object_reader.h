#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/json/tree.h"

namespace penstock {

/// Everything that is wrong with one JSON document, a line each: "file: path: what".
class JsonProblems {
 public:
  explicit JsonProblems(std::string file) : file_(std::move(file)) {}

  /// An empty path is the document as a whole.
  void add(std::string_view path, std::string_view what);

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  /// The first hundred, and how many more there are.
  Error as_error() const;

 private:
  std::string file_;
  std::string text_;
  std::size_t count_ = 0;
};

/// The range of plausible numbers.
struct JsonRange {
  double least = 0;
  double most = 0;
  bool above = false;  ///< `least` itself is too little
};

/// Why a value that must be a number in a range is none; nothing if it is.
std::optional<std::string> not_in_range(const JsonValue& value, JsonRange range, bool whole);

/// One object of a request, read key by key. What is absent or wrong becomes a problem, and
/// nothing is returned; for what may be absent, ask has() first.
class ObjectReader {
 public:
  /// Refuses keys that are not `known`, each with the nearest that is.
  ObjectReader(JsonValue object, std::string path, JsonProblems& problems,
               std::span<const std::string_view> known);
  /// With keys of the user's own.
  ObjectReader(JsonValue object, std::string path, JsonProblems& problems)
      : object_(object), path_(std::move(path)), problems_(&problems) {}

  bool has(std::string_view key) const { return object_.find(key).has_value(); }
  std::optional<JsonValue> value(std::string_view key);
  std::optional<double> number(std::string_view key, JsonRange range);
  std::optional<std::uint64_t> whole(std::string_view key, JsonRange range);
  std::optional<std::string_view> text(std::string_view key);
  std::optional<ObjectReader> object(std::string_view key, std::span<const std::string_view> known);
  std::optional<ObjectReader> object(std::string_view key);
  /// A member of an object with keys of the user's own, as one.
  std::optional<ObjectReader> inner(JsonValue member, std::span<const std::string_view> known);
  std::optional<ObjectReader> inner(JsonValue member);

  std::optional<JsonValue> first() const { return object_.first(); }
  void problem(std::string_view key, std::string_view what);
  /// A problem with the object as a whole.
  void problem(std::string_view what) { problems_->add(path_, what); }
  JsonProblems& problems() { return *problems_; }

 private:
  JsonValue object_;
  std::string path_;
  JsonProblems* problems_;
};

/// "M60 K80", at most sixteen and then "…"; "none" if there are none.
std::string listed(std::span<const std::string_view> names);

}  // namespace penstock
