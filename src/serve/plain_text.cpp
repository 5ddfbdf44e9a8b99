#include "serve/plain_text.h"

#include <array>
#include <cstdint>

namespace penstock {
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

bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const Codepoint next = codepoint_at(text);
    if (next.length == 0 || is_control(next.value)) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string harmless(std::string_view text) {
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
