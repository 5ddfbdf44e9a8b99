#include "serve/http/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace penstock {
namespace {

std::optional<unsigned> hex(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> decode_url(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at] == '+' && plus_is_space ? ' ' : text[at];
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    const auto high = hex(text[at + 1]);
    const auto low = hex(text[at + 2]);
    if (!high || !low) return std::nullopt;
    decoded += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return is_printable_utf8(decoded) ? std::optional(decoded) : std::nullopt;
}

std::string encode_url(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c))
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

Result<UrlParameters> parse_query(std::string_view query) {
  UrlParameters parameters;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decode_url(pair.substr(0, equals), true);
    const auto value = decode_url(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return Error{"what stands behind '?' is not well encoded"};
    if (!parameters.emplace(*name, *value).second)
      return Error{fmt::format("'{}' is there twice", *name)};
  }
  return parameters;
}

namespace {

struct Codepoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< bytes; 0 if it is none
};

Codepoint codepoint_at(std::string_view text) {
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t value = first & (0xFFu >> (length + 1));
  for (const char c : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0u) != 0x80u) return {};
    value = (value << 6u) | (byte & 0x3Fu);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < kLeast[length] || value > 0x10FFFF || surrogate ? Codepoint{}
                                                                 : Codepoint{value, length};
}

bool is_control(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0);
}

/// Marks and overrides of the direction of writing, and separators of lines.
bool bends_text(std::uint32_t value) {
  return (value >= 0x200E && value <= 0x200F) || (value >= 0x2028 && value <= 0x202E) ||
         (value >= 0x2066 && value <= 0x2069);
}

}  // namespace

bool is_printable_utf8(std::string_view text) {
  while (!text.empty()) {
    const Codepoint next = codepoint_at(text);
    if (next.length == 0 || is_control(next.value)) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string terminal_safe(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Codepoint next = codepoint_at(text);
    const bool fine = next.length > 0 && !is_control(next.value) && !bends_text(next.value);
    const std::size_t length = next.length > 0 ? next.length : 1;
    if (fine)
      shown += text.substr(0, length);
    else
      shown += '?';
    text.remove_prefix(length);
  }
  return shown;
}

}  // namespace penstock
