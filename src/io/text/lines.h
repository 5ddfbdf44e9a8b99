#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace penstock {

/// The lines of a text, one after the other, without their "\n" or "\r\n". A
/// byte-order mark at the very front is skipped. The text must outlive it.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  /// The next line, or nothing at the end. A final "\n" opens no further line.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const auto* end = static_cast<const char*>(std::memchr(rest_.data(), '\n', rest_.size()));
    const auto length = end ? static_cast<std::size_t>(end - rest_.data()) : rest_.size();
    std::string_view line = rest_.substr(0, length);
    rest_.remove_prefix(end ? length + 1 : length);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  /// The number of the line that next() gave last; the first is 1.
  std::uint64_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::uint64_t number_ = 0;
};

}  // namespace penstock
