#include "io/scenario/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "io/text/lines.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

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

namespace {

std::string_view type_name(toml::node_type type) {
  switch (type) {
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return "a date";
    default:
      return "nothing";
  }
}

std::string wrong_type(std::string_view wanted, const toml::node& node) {
  return fmt::format("must be {}, not {}", wanted, type_name(node.type()));
}

std::string outside(double value, Range range) {
  if (value < range.least) return fmt::format("must be at least {}, not {}", range.least, value);
  return fmt::format("must be at most {}, not {}", range.most, value);
}

bool is_within(double value, Range range) {
  return value >= range.least && value <= range.most;
}

}  // namespace

std::string TableReader::path_of(std::string_view key) const {
  if (path_.empty() || key.empty()) return path_ + std::string(key);
  return path_ + "." + std::string(key);
}

const toml::node* TableReader::get(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  return table_->get(key);
}

bool TableReader::has(std::string_view key) {
  return get(key) != nullptr;
}

void TableReader::problem(std::string_view key, std::string_view what) {
  const toml::node* node = table_->get(key);
  if (!node && path_.empty()) return problems_->add(fmt::format("{}: {}", key, what));
  problems_->add(node ? *node : *table_, path_of(key), what);
}

std::string TableReader::where(std::string_view key) const {
  const toml::node* node = table_->get(key);
  return problems_->where(node ? *node : *table_) + ": " + path_of(key);
}

bool TableReader::require(std::string_view key, std::string_view hint) {
  if (has(key)) return true;
  problem(key, fmt::format("is missing{}{}", hint.empty() ? "" : "; ", hint));
  return false;
}

const toml::node* TableReader::typed(std::string_view key, toml::node_type wanted,
                                     std::string_view name) {
  const toml::node* node = get(key);
  if (!node || node->type() == wanted) return node;
  problem(key, wrong_type(name, *node));
  return nullptr;
}

bool TableReader::text(std::string_view key, std::string& value) {
  const toml::node* node = typed(key, toml::node_type::string, "text in quotes");
  if (!node) return false;
  value = node->as_string()->get();
  return true;
}

bool TableReader::number(std::string_view key, double& value, Range range) {
  const toml::node* node = get(key);
  if (!node) return false;
  if (!node->is_number()) {
    problem(key, wrong_type("a number", *node));
    return false;
  }
  const double found = node->is_integer() ? static_cast<double>(node->as_integer()->get())
                                          : node->as_floating_point()->get();
  if (!std::isfinite(found) || !is_within(found, range)) {
    problem(key, std::isfinite(found) ? outside(found, range)
                                      : fmt::format("must be a finite number, not {}", found));
    return false;
  }
  value = found;
  return true;
}

bool TableReader::whole(std::string_view key, std::uint64_t& value, Range range) {
  const toml::node* node = typed(key, toml::node_type::integer, "a whole number");
  if (!node) return false;
  const std::int64_t found = node->as_integer()->get();
  if (!is_within(static_cast<double>(found), range)) {
    problem(key, outside(static_cast<double>(found), range));
    return false;
  }
  value = static_cast<std::uint64_t>(found);
  return true;
}

bool TableReader::whole(std::string_view key, std::uint32_t& value, Range range) {
  std::uint64_t wide = 0;
  range.most = std::min<double>(range.most, std::numeric_limits<std::uint32_t>::max());
  if (!whole(key, wide, range)) return false;
  value = static_cast<std::uint32_t>(wide);
  return true;
}

bool TableReader::flag(std::string_view key, bool& value) {
  const toml::node* node = typed(key, toml::node_type::boolean, "true or false");
  if (!node) return false;
  value = node->as_boolean()->get();
  return true;
}

bool TableReader::time(std::string_view key, std::optional<Time>& value) {
  const toml::node* node = get(key);
  if (!node) return false;
  const std::string text = scalar_text(*node).value_or("");
  const auto found = parse_time(text);
  if (!found || *found < Time{}) {
    problem(key, found ? in_quotes(text) + " is before 1970"
                       : in_quotes(text) + " is not a time such as \"2022-03-01T00:00Z\"");
    return false;
  }
  value = *found;
  return true;
}

bool TableReader::duration(std::string_view key, Duration& value) {
  const toml::node* node = typed(key, toml::node_type::string, "a time in quotes such as \"30 s\"");
  if (!node) return false;
  const auto found = read_duration(node->as_string()->get());
  if (!found) {
    problem(key, found.error().message);
    return false;
  }
  value = *found;
  return true;
}

std::optional<Measured> TableReader::quantity(std::string_view key, Measure measure, double least) {
  const toml::node* node = get(key);
  if (!node) return std::nullopt;
  const auto text = node->is_number() || node->is_string() ? scalar_text(*node) : std::nullopt;
  if (!text) {
    problem(key, wrong_type("a number with its unit in quotes", *node));
    return std::nullopt;
  }
  const auto found = parse_quantity(*text, measure);
  if (!found) {
    problem(key, found.error().message);
    return std::nullopt;
  }
  if (found->value < least) {
    problem(key, fmt::format("must be at least {}, not {}", least, *text));
    return std::nullopt;
  }
  return *found;
}

std::optional<TableReader> TableReader::table(std::string_view key, std::string_view example) {
  const toml::node* node =
      typed(key, toml::node_type::table, fmt::format("a table such as {}", example));
  if (!node) return std::nullopt;
  return TableReader(*node->as_table(), path_of(key), *problems_);
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
  std::vector<TableReader> all;
  const toml::node* node = get(key);
  if (!node) return all;
  if (const auto* single = node->as_table())
    return {TableReader(*single, path_of(key), *problems_)};
  const auto* list = node->as_array();
  if (!list || !list->is_homogeneous(toml::node_type::table)) {
    problem(key, fmt::format("must be tables, written [[{}]]", path_of(key)));
    return all;
  }
  for (const toml::node& element : *list)
    all.emplace_back(*element.as_table(), path_of(key), *problems_);
  return all;
}

void TableReader::refuse_word(std::string_view key, std::string_view word,
                              const std::vector<std::string_view>& words) {
  problem(key, fmt::format("there is no {}; possible: {}", in_quotes(word), fmt::join(words, " ")));
}

void TableReader::finish() {
  std::vector<std::string_view> names(known_.begin(), known_.end());
  for (const auto& [key, node] : *table_) {
    if (std::ranges::find(names, key.str()) != names.end()) continue;
    std::string hint = did_you_mean(key.str(), names);
    if (hint.empty()) hint = fmt::format("; possible here: {}", fmt::join(names, " "));
    problems_->add(node, path_of(key.str()), "unknown key" + hint);
  }
}

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  std::ostringstream out;
  if (const auto* date = node.as_date()) out << date->get();
  if (const auto* moment = node.as_date_time()) out << moment->get();
  if (out.str().empty()) return std::nullopt;
  return out.str();
}

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return Error{fmt::format("{}:{}: is not valid TOML: {}", file, error.source().begin.line,
                             error.description())};
  }
}

}  // namespace penstock
