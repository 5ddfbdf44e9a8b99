#include "io/text/number.h"

namespace penstock {
namespace {

constexpr std::size_t kLongestShown = 40;

bool is_printable(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, kLongestShown)) out += is_printable(c) ? c : '?';
  out += text.size() > kLongestShown ? "…'" : "'";
  return out;
}

Error not_a_number(std::string_view text, bool whole, bool too_large) {
  if (text.empty()) return {"is missing"};
  if (too_large) return {in_quotes(text) + " is out of range"};
  return {in_quotes(text) +
          (whole ? " is not a whole number in range" : " is not a finite number")};
}

}  // namespace penstock
