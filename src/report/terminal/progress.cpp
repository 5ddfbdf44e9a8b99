#include "report/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/terminal/text.h"

namespace penstock {
namespace {

constexpr Duration kTerminalPause(100);
constexpr Duration kLinePause(5000);
constexpr std::size_t kBarCells = 24;

double done_share(const ProgressPoint& at) {
  if (!at.total || *at.total == 0) return 0;
  return std::min(1.0, static_cast<double>(at.done) / static_cast<double>(*at.total));
}

std::string counted(std::uint64_t value) {
  return grouped(static_cast<double>(value), 0);
}

std::string of_total(const ProgressPoint& at, const std::string& things) {
  if (!at.total) return fmt::format("{} {}", counted(at.done), things);
  return fmt::format("{} of {} {}", counted(at.done), counted(*at.total), things);
}

/// "512,000 jobs/s", and how long the rest takes at that pace if that is known.
std::string pace(const ProgressPoint& at, const std::string& things) {
  if (at.elapsed <= Duration::zero() || at.done == 0) return "";
  const double rate = static_cast<double>(at.done) / seconds(at.elapsed);
  std::string text = fmt::format(", {} {}/s", grouped(rate, rate < 10 ? 1 : 0), things);
  if (at.total && at.done <= *at.total)
    text += fmt::format(
        ", {} left",
        rough_duration(round_duration(static_cast<double>(*at.total - at.done) / rate)));
  return text;
}

}  // namespace

Progress::Progress(std::string what, ProgressStyle style)
    : what_(std::move(what)),
      style_(std::move(style)),
      next_(style_.terminal ? kTerminalPause : kLinePause) {}

std::optional<std::string> Progress::update(const ProgressPoint& at) {
  if (at.elapsed < next_) return std::nullopt;
  next_ = at.elapsed + (style_.terminal ? kTerminalPause : kLinePause);
  return style_.terminal ? bar(at) : line(at);
}

std::string Progress::finish() const {
  return style_.terminal ? "\r\x1b[K" : "";
}

std::string Progress::bar(const ProgressPoint& at) const {
  std::string text = what_;
  if (at.total) {
    const double share = done_share(at);
    const auto full = static_cast<std::size_t>(share * kBarCells);
    text += " [" + std::string(full, '#') + std::string(kBarCells - full, '.') +
            fmt::format("] {:3.0f} %", share * 100);
  }
  text += " " + of_total(at, style_.things) + pace(at, style_.things);
  return "\r" + shortened(text, std::max<std::size_t>(style_.width, 2) - 1) + "\x1b[K";
}

std::string Progress::line(const ProgressPoint& at) const {
  std::string text = what_ + ": ";
  if (at.total) text += fmt::format("{:.0f} %, ", done_share(at) * 100);
  return text + of_total(at, style_.things) + pace(at, style_.things) + "\n";
}

}  // namespace penstock
