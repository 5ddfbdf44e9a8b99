#include "io/scenario/problem_list.h"

#include <fmt/format.h>

#include <algorithm>

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
  while (const auto line = lines.next())
    problems_.push_back(
        {.line = node.source().begin.line, .text = prefix + ": " + std::string(*line)});
}

void ProblemList::add(std::string_view what) {
  problems_.push_back({.text = fmt::format("{}: {}", file_, what)});
}

Error ProblemList::as_error() const {
  std::vector<Problem> sorted = problems_;
  std::ranges::stable_sort(sorted, {}, &Problem::line);
  std::string text;
  for (const Problem& problem : sorted) text += (text.empty() ? "" : "\n") + problem.text;
  return {std::move(text)};
}

}  // namespace penstock
