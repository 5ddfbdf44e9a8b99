#include "serve/url_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "serve/plain_text.h"

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
  return is_plain_text(decoded) ? std::optional(decoded) : std::nullopt;
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

}  // namespace penstock
