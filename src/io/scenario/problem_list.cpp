#include "io/scenario/problem_list.h"

#include <fmt/format.h>

#include "io/text/lines.h"

namespace penstock {

std::string ProblemList::where(const toml::node& node) const {
  const toml::source_region& source = node.source();
  if (source.path && source.path->starts_with("--set ")) return *source.path;
  if (source.begin.line == 0) return file_;
  return fmt::format("{}:{}", file_, source.begin.line);
}

void ProblemList::add(const toml::node& node, std::string_view key, std::string_view what) {
  const std::string prefix = where(node) + (key.empty() ? "" : fmt::format(": {}", key));
  LineReader lines(what);
  while (const auto line = lines.next()) lines_.push_back(fmt::format("{}: {}", prefix, *line));
}

void ProblemList::add(std::string_view what) {
  lines_.push_back(fmt::format("{}: {}", file_, what));
}

Error ProblemList::as_error() const {
  return {fmt::format("{}", fmt::join(lines_, "\n"))};
}

}  // namespace penstock
