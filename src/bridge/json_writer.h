#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::bridge {

/// JSON written straight into text, without a tree: a poll of 10 000 jobs is half a million
/// members.
class JsonWriter {
 public:
  JsonWriter& open_object() { return open('{'); }
  JsonWriter& close_object() { return close('}'); }
  JsonWriter& open_list() { return open('['); }
  JsonWriter& close_list() { return close(']'); }
  /// A name made of plain letters, which are not escaped.
  JsonWriter& name(std::string_view plain);

  JsonWriter& text(std::string_view value);
  /// Null where there is none.
  JsonWriter& text(const char* value);
  JsonWriter& number(std::int64_t value);
  JsonWriter& number(std::optional<std::int64_t> value);
  JsonWriter& boolean(bool value);
  JsonWriter& texts(const std::vector<std::string>& values);
  /// Appends JSON text as it is.
  JsonWriter& raw(std::string_view json);

  const std::string& written() const { return out_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string out_;
  bool wants_comma_ = false;
};

/// The text in quotes, with escapes; bytes that are no UTF-8 become U+FFFD.
std::string quoted(std::string_view text);

}  // namespace penstock::bridge
