#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock::bridge {

/// Cuts a stream of bytes into lines. A line longer than `longest` is dropped, and reported as too
/// long.
class LineBuffer {
 public:
  struct Line {
    std::string text;
    bool too_long = false;
  };

  explicit LineBuffer(std::size_t longest) : longest_(longest) {}

  void add(std::string_view bytes);
  /// The next whole line, without its end.
  std::optional<Line> next();
  /// What came after the last line's end, if anything; for when the stream has ended.
  std::optional<Line> rest();

 private:
  void drop_if_too_long();

  std::size_t longest_;
  std::string bytes_;
  std::size_t begin_ = 0;    ///< of what has not been handed out
  std::size_t scanned_ = 0;  ///< up to here there is no line's end
  bool dropping_ = false;
};

}  // namespace penstock::bridge
