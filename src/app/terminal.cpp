#include "app/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "report/terminal/progress.h"

namespace penstock {
namespace {

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 132;
}

/// Letters, not bytes, of UTF-8.
std::size_t letters_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

/// What is shown of one piece of work after the other.
class ProgressLine {
 public:
  ProgressLine(const char* what, const char* things) : what_(what), things_(things) {}

  void update(const WorkProgress& work) {
    using namespace std::chrono_literals;
    if (!shown_) begin();
    if (work.ended) return end();
    const auto elapsed =
        std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun_);
    if (elapsed < 200ms) return;  // short work needs no comment
    const auto text =
        shown_->update({.done = work.done, .total = work.expected, .elapsed = elapsed});
    if (!text) return;
    std::fputs(text->c_str(), stderr);
    printed_ = true;
  }

 private:
  void begin() {
    begun_ = std::chrono::steady_clock::now();
    shown_.emplace(what_, ProgressStyle{.terminal = isatty(STDERR_FILENO) != 0, .things = things_});
    printed_ = false;
  }
  void end() {
    if (printed_) std::fputs(shown_->finish().c_str(), stderr);
    shown_.reset();
  }

  const char* what_;
  const char* things_;
  std::chrono::steady_clock::time_point begun_{};
  std::optional<Progress> shown_{};  ///< while work goes on
  bool printed_ = false;             ///< of this work
};

}  // namespace

TableStyle stdout_style(const std::string& currency) {
  return {.colour = isatty(STDOUT_FILENO) != 0,
          .width = std::max<std::size_t>(terminal_width(), 80),
          .currency = currency};
}

std::string align_rows(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], letters_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] + 2 - letters_of(row[i]), ' ');
    }
    text += '\n';
  }
  return text;
}

ProgressCallback show_progress(bool shown, const char* what, const char* things) {
  if (!shown) return {};
  auto line = std::make_shared<ProgressLine>(what, things);
  return [line](const WorkProgress& work) { line->update(work); };
}

}  // namespace penstock
