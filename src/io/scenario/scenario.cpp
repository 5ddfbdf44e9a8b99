#include "io/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "io/scenario/scenario_without_jobs.h"
#include "io/scenario/sections.h"
#include "io/scenario/table_reader.h"
#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {
namespace {

using Path = std::span<const std::string>;

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::optional<toml::table> try_parse(const std::string& text, const std::string& source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

/// One override on its way to the places it is meant for.
class Override {
 public:
  Override(std::string_view text, std::string_view value)
      : source_("--set " + std::string(text)), value_(value) {}

  Result<Done> into(toml::table& table, Path path) const {
    const std::string& key = path.front();
    if (path.size() == 1) return assign(table, key);
    if (!table.contains(key) && put(table, key, "{}")) table.get(key)->as_table()->is_inline(false);
    return into(*table.get(key), key, path.subspan(1));
  }

 private:
  Result<Done> into(toml::node& node, const std::string& key, Path rest) const {
    if (auto* table = node.as_table()) return into(*table, rest);
    auto* list = node.as_array();
    if (!list || !list->is_homogeneous(toml::node_type::table))
      return Error{fmt::format("{}: '{}' is not a table", source_, key)};
    if (toml::table* one = pick(*list, rest.front())) {
      if (rest.size() == 1) return Error{fmt::format("{}: names a table, not a key", source_)};
      return into(*one, rest.subspan(1));
    }
    for (toml::node& element : *list) {
      auto done = into(*element.as_table(), rest);
      if (!done) return done;
    }
    return Done{};
  }

  static toml::table* pick(toml::array& list, const std::string& step) {
    const auto index = parse_number<std::size_t>(step);
    if (index && *index < list.size()) return list.get(*index)->as_table();
    for (toml::node& element : list) {
      const auto name = element.as_table()->get_as<std::string>("name");
      if (name && name->get() == step) return element.as_table();
    }
    return nullptr;
  }

  Result<Done> assign(toml::table& table, const std::string& key) const {
    if (put(table, key, value_) || put(table, key, toml_quoted(value_))) return Done{};
    return Error{fmt::format("{}: is not valid text", source_)};
  }

  /// Parsed anew for every place: only a moved value remembers its source.
  bool put(toml::table& table, const std::string& key, const std::string& value) const {
    auto parsed = try_parse("v = " + value, source_);
    if (!parsed || parsed->size() != 1) return false;
    parsed->get("v")->visit([&](auto& node) { table.insert_or_assign(key, std::move(node)); });
    return true;
  }

  std::string source_;
  std::string value_;
};

}  // namespace

Result<Done> apply_override(toml::table& root, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos)
    return Error{fmt::format("--set {}: has no '='; write key.path=value", text)};
  std::vector<std::string> path;
  std::string_view rest = trim(text.substr(0, equals));
  while (true) {
    const auto dot = std::min(rest.find('.'), rest.size());
    path.emplace_back(trim(rest.substr(0, dot)));
    if (path.back().empty())
      return Error{fmt::format("--set {}: the key is not a path such as policy.name", text)};
    if (dot == rest.size()) break;
    rest.remove_prefix(dot + 1);
  }
  return Override(text, trim(text.substr(equals + 1))).into(root, path);
}

namespace {

/// FNV-1a over the text and every override.
std::string hash_of(std::string_view text, std::span<const std::string> overrides) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  };
  add(text);
  for (const std::string& override : overrides) add("\n--set " + override);
  return fmt::format("{:016x}", hash);
}

void read_sections(const toml::table& table, const PolicyCheck& check, ScenarioDraft& draft) {
  TableReader root(table, "", draft.problems);
  root.text("name", draft.scenario.name);
  root.whole("seed", draft.scenario.seed);
  read_currency(root, draft);
  read_workload(root, draft);
  read_gpu_types(root, draft);
  read_sites(root, draft);
  read_generator(root, draft);
  read_workflows(root, draft);
  read_drawn_jobs(root, draft);
  read_sharing(root, draft);
  read_network(root, draft);
  read_origins(root, draft);
  read_policies(root, check, draft);
  read_costs(root, draft);
  read_utility(root, draft);
  read_failures(root, draft);
  read_sweep(root, draft);
  settle_currency(draft);
  root.finish();
}

}  // namespace

bool read_path(TableReader& table, std::string_view key, const ScenarioDraft& draft,
               std::filesystem::path& path) {
  std::string text;
  if (!table.text(key, text)) return false;
  if (text.empty()) table.problem(key, "is empty");
  path = draft.dir / text;
  return !text.empty();
}

Result<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                const std::filesystem::path& dir,
                                std::span<const std::string> overrides, const PolicyCheck& check) {
  auto table = parse_toml(text, file);
  if (!table) return table.error();
  for (const std::string& override : overrides) {
    const auto done = apply_override(*table, override);
    if (!done) return done.error();
  }
  ScenarioDraft draft{.dir = dir, .problems = ProblemList(file)};
  draft.scenario.hash = hash_of(text, overrides);
  draft.scenario.name = std::filesystem::path(file).stem().string();
  read_sections(*table, check, draft);
  if (!draft.problems.empty()) return draft.problems.as_error();
  return std::move(draft.scenario);
}

Result<Scenario> scenario_without_jobs(const toml::table& table, const std::string& file,
                                       const std::filesystem::path& dir, const PolicyCheck& check) {
  ScenarioDraft draft{.dir = dir, .problems = ProblemList(file), .has_jobs = false};
  draft.scenario.name = std::filesystem::path(file).stem().string();
  read_sections(table, check, draft);
  if (!draft.problems.empty()) return draft.problems.as_error();
  return std::move(draft.scenario);
}

Result<Scenario> read_scenario(const std::filesystem::path& path,
                               std::span<const std::string> overrides, const PolicyCheck& check) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_scenario(*text, path.string(), path.parent_path(), overrides, check);
}

Result<Done> check_coverage(const Scenario& scenario, Time first, Time last) {
  std::vector<std::string> problems;
  for (const SignalSpan& span : scenario.spans) {
    if (span.from > first)
      problems.push_back(fmt::format(
          "{}: {} begins at {}, after the first job at {}; possible: a later workload.start or "
          "workload.from, or a longer series",
          span.where, span.file, format_time(span.from), format_time(first)));
    if (span.until && *span.until <= last)
      problems.push_back(fmt::format(
          "{}: {} ends at {}, before the last job comes at {}; possible: after_end = \"hold\" or "
          "\"repeat\", an earlier workload.start, workload.limit, or a longer series",
          span.where, span.file, format_time(*span.until), format_time(last)));
  }
  if (!problems.empty()) return Error{fmt::format("{}", fmt::join(problems, "\n"))};
  return Done{};
}

}  // namespace penstock
