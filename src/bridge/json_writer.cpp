#include "bridge/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace penstock::bridge {
namespace {

bool is_plain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

}  // namespace

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonWriter::separate() {
  if (wants_comma_) out_ += ',';
  wants_comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  wants_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  wants_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::name(std::string_view plain) {
  separate();
  out_ += '"';
  out_ += plain;
  out_ += "\":";
  wants_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  if (!std::ranges::all_of(value, is_plain)) {
    out_ += quoted(value);
    return *this;
  }
  out_ += '"';
  out_ += value;
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::text(const char* value) {
  return value == nullptr ? raw("null") : text(std::string_view(value));
}

JsonWriter& JsonWriter::number(std::int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

JsonWriter& JsonWriter::number(std::optional<std::int64_t> value) {
  return value ? number(*value) : raw("null");
}

JsonWriter& JsonWriter::boolean(bool value) {
  return raw(value ? "true" : "false");
}

JsonWriter& JsonWriter::texts(const std::vector<std::string>& values) {
  open_list();
  for (const std::string& value : values) text(std::string_view(value));
  return close_list();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace penstock::bridge
