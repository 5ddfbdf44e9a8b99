#include "bridge/line_buffer.h"

#include <utility>

namespace penstock::bridge {

void LineBuffer::add(std::string_view bytes) {
  bytes_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  bytes_ += bytes;
}

std::optional<LineBuffer::Line> LineBuffer::next() {
  const auto end = bytes_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = bytes_.size();
    drop_if_too_long();
    return {};
  }
  Line line{.text = {}, .too_long = std::exchange(dropping_, false) || end - begin_ > longest_};
  if (!line.too_long) line.text = bytes_.substr(begin_, end - begin_);
  begin_ = scanned_ = end + 1;
  return line;
}

std::optional<LineBuffer::Line> LineBuffer::rest() {
  if (begin_ == bytes_.size() && !dropping_) return {};
  add("\n");
  return next();
}

void LineBuffer::drop_if_too_long() {
  if (bytes_.size() - begin_ <= longest_) return;
  dropping_ = true;
  bytes_.clear();
  begin_ = scanned_ = 0;
}

}  // namespace penstock::bridge
