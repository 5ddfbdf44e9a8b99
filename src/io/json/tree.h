#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock {

enum class JsonKind : std::uint8_t { null, boolean, number, text, object, list };

class JsonTree;

/// One value of a tree, which must outlive it.
class JsonValue {
 public:
  JsonKind kind() const;
  /// What it is called in its object; empty for the root and in lists.
  std::string_view key() const;
  /// Of a number; 1 or 0 of a boolean.
  double number() const;
  /// Of a text.
  std::string_view text() const;

  /// The members of an object or list in the order of the file; of other values none.
  std::optional<JsonValue> first() const;
  /// The one behind it in the same object or list.
  std::optional<JsonValue> next() const;
  std::size_t size() const;
  std::optional<JsonValue> find(std::string_view key) const;

 private:
  friend class JsonTree;
  JsonValue(const JsonTree& tree, std::uint32_t at, std::uint32_t bound)
      : tree_(&tree), at_(at), bound_(bound) {}

  const JsonTree* tree_;
  std::uint32_t at_;
  std::uint32_t bound_;  ///< just behind the last value of its object
};

/// A JSON document in 24 bytes a value and one copy of every word, so that a million jobs fit
/// into memory. Unlike nlohmann's own it keeps the order of the file and notices keys that are
/// there twice.
class JsonTree {
 public:
  /// The error is "file:line:column: …".
  static Result<JsonTree> parse(std::string_view text, const std::string& file);

  JsonValue root() const { return {*this, 0, static_cast<std::uint32_t>(nodes_.size())}; }
  /// Paths such as "jobs.J3" of keys that their object has more than once.
  const std::vector<std::string>& repeated() const { return repeated_; }

 private:
  friend class JsonValue;
  friend class JsonTreeBuilder;
  struct Node {
    double number = 0;
    std::uint32_t key = 0;   ///< in words_
    std::uint32_t text = 0;  ///< in words_
    std::uint32_t end = 0;   ///< just behind its last descendant
    JsonKind kind = JsonKind::null;
  };

  std::vector<Node> nodes_;
  std::deque<std::string> words_;  ///< the first is empty
  std::vector<std::string> repeated_;
};

/// "jobs" and "J3" are "jobs.J3", fit for a message: without control characters and not endless.
std::string json_path(std::string_view outer, std::string_view key);

}  // namespace penstock
