#include "io/json/problems.h"

#include <fmt/format.h>

namespace penstock {
namespace {

constexpr std::size_t kMostShown = 100;

}  // namespace

void JsonProblems::add(std::string_view path, std::string_view what) {
  if (++count_ > kMostShown) return;
  if (!text_.empty()) text_ += '\n';
  text_ += file_;
  text_ += ": ";
  if (!path.empty()) text_ += fmt::format("{}: ", path);
  text_ += what;
}

Error JsonProblems::as_error() const {
  if (count_ <= kMostShown) return {text_};
  return {fmt::format("{}\n{}: and {} problems more", text_, file_, count_ - kMostShown)};
}

}  // namespace penstock
