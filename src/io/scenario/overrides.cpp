#include "io/scenario/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "io/text/number.h"

namespace penstock {
namespace {

using Path = std::span<const std::string>;

std::string quoted(std::string_view text) {
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
    if (put(table, key, value_) || put(table, key, quoted(value_))) return Done{};
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

}  // namespace penstock
