#include "report/terminal/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace penstock {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

/// The code point at the front; a byte that begins none stands for itself.
CodePoint first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = announced_length(byte(0));
  if (length <= 1 || length > text.size()) return {byte(0), 1};
  char32_t value = byte(0) & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {byte(0), 1};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  return {value, length};
}

struct Range {
  char32_t first, last;
};
constexpr std::array kZeroWidth{Range{0x300, 0x36F}, Range{0x200B, 0x200F}, Range{0xFE00, 0xFE0F}};
constexpr std::array kWide{Range{0x1100, 0x115F},  Range{0x2E80, 0x303E}, Range{0x3041, 0xA4CF},
                           Range{0xAC00, 0xD7A3},  Range{0xF900, 0xFAFF}, Range{0xFE30, 0xFE6F},
                           Range{0xFF00, 0xFF60},  Range{0xFFE0, 0xFFE6}, Range{0x1F300, 0x1FAFF},
                           Range{0x20000, 0x3FFFD}};

std::size_t width_of(char32_t c) {
  const auto within = [c](const Range& r) { return r.first <= c && c <= r.last; };
  if (std::ranges::any_of(kZeroWidth, within)) return 0;
  return std::ranges::any_of(kWide, within) ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = first_of(text);
    width += width_of(c.value);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t used = 0;
  std::size_t bytes = 0;
  while (true) {
    const CodePoint c = first_of(text.substr(bytes));
    used += width_of(c.value);
    if (used > width - 1) break;
    bytes += c.bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string right_aligned(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ').append(text);
}

std::string left_aligned(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text).append(width > used ? width - used : 0, ' ');
}

std::string grouped(double value, int decimals) {
  std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = digits.find_first_of("123456789") == std::string::npos;
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  for (std::size_t at = whole; at > 3; at -= 3) digits.insert(at - 3, ",");
  return std::signbit(value) && !zero ? "-" + digits : digits;
}

std::string rough_duration(Duration d) {
  const auto s = static_cast<std::int64_t>(std::llround(seconds(d)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
  return fmt::format("{} d {} h", s / 86400, s / 3600 % 24);
}

}  // namespace penstock
