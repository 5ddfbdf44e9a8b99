#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/signals/unit.h"

namespace penstock {

/// Everything that is wrong with one scenario, shown in the order of its lines.
class ProblemList {
 public:
  explicit ProblemList(std::string file) : file_(std::move(file)) {}

  /// "file:line: key: what", or "--set …: key: what" if that is where `node` came
  /// from. Each line of `what` is a problem of its own.
  void add(const toml::node& node, std::string_view key, std::string_view what);
  /// About the scenario as a whole.
  void add(std::string_view what);

  bool empty() const { return problems_.empty(); }
  Error as_error() const;

  /// "file:line", or the override a node came from.
  std::string where(const toml::node& node) const;

 private:
  struct Problem {
    std::size_t line = 0;  ///< 0 if it belongs to none
    std::string text{};
  };
  std::string file_;
  std::vector<Problem> problems_;
};

/// The range of plausible numbers.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// One table of a scenario, read key by key. What is absent leaves the value
/// alone and what is wrong becomes a problem; both return nothing or false. Every
/// key asked for is a known one, and finish() refuses the others.
class TableReader {
 public:
  /// `path` is what messages call the table; empty for the whole file.
  TableReader(const toml::table& table, std::string path, ProblemList& problems)
      : table_(&table), path_(std::move(path)), problems_(&problems) {}

  bool has(std::string_view key);
  bool text(std::string_view key, std::string& value);
  bool number(std::string_view key, double& value, Range range = {});
  bool whole(std::string_view key, std::uint64_t& value, Range range = {.least = 0});
  bool whole(std::string_view key, std::uint32_t& value, Range range = {.least = 0});
  bool flag(std::string_view key, bool& value);
  bool time(std::string_view key, std::optional<Time>& value);
  bool duration(std::string_view key, Duration& value);
  /// "600 W". Not less than `least`, in the measure's own unit.
  std::optional<Measured> quantity(std::string_view key, Measure measure,
                                   double least = -std::numeric_limits<double>::infinity());
  std::optional<TableReader> table(std::string_view key, std::string_view example = "{ … }");
  /// All of `[[key]]`; also of a single `[key]`.
  std::vector<TableReader> tables(std::string_view key);

  /// One of a few words, each with its meaning.
  template <class T>
  bool choice(std::string_view key, T& value,
              std::initializer_list<std::pair<std::string_view, T>> choices) {
    std::string word;
    if (!text(key, word)) return false;
    std::vector<std::string_view> words;
    for (const auto& [name, meaning] : choices) {
      if (name == word) value = meaning;
      if (name == word) return true;
      words.push_back(name);
    }
    refuse_word(key, word, words);
    return false;
  }

  /// Marks a key as known and gives its value as it stands; nullptr if absent.
  const toml::node* get(std::string_view key);
  const toml::table& raw() const { return *table_; }

  /// Adds a problem with a key, at the line of the key, or of its table if the key is absent.
  void problem(std::string_view key, std::string_view what);
  /// A problem if the key is absent.
  bool require(std::string_view key, std::string_view hint = "");
  /// "file:line: path.key", as problem() would begin.
  std::string where(std::string_view key) const;
  void refuse_word(std::string_view key, std::string_view word,
                   const std::vector<std::string_view>& words);
  /// Refuses the keys that were never read.
  void finish();

  ProblemList& problems() { return *problems_; }
  std::string path_of(std::string_view key) const;

 private:
  const toml::node* typed(std::string_view key, toml::node_type wanted, std::string_view name);

  const toml::table* table_;
  std::string path_;
  ProblemList* problems_;
  std::vector<std::string> known_;
};

/// A value of a scenario as one word or number: what a policy option or an
/// override holds. Nothing for tables and lists.
std::optional<std::string> scalar_text(const toml::node& node);

/// Writes "key.path=value" into a scenario before it is read. The value is TOML;
/// what is not, is text, so quotes may be left out. In a list of tables a step of
/// the path can be a number (from 0) or a table's `name`; otherwise the rest of the
/// path is written into all of them.
Result<Done> apply_override(toml::table& root, std::string_view text);

/// The whole text; the error names the line.
Result<toml::table> parse_toml(std::string_view text, const std::string& file);

/// The elements of a list; a problem if it is absent, none, empty, or one of them is of another
/// type.
template <class T>
std::vector<T> required_list(TableReader& table, std::string_view key, std::string_view of_what) {
  std::vector<T> values;
  const toml::node* node = table.require(key) ? table.get(key) : nullptr;
  if (node == nullptr) return values;
  const toml::array* list = node->as_array();
  if (list != nullptr)
    for (const toml::node& element : *list)
      if (const auto value = element.value<T>()) values.push_back(*value);
  if (list == nullptr || list->empty() || values.size() != list->size())
    table.problem(key, "is not a list of " + std::string(of_what));
  return values;
}

}  // namespace penstock
