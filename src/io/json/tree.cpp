#include "io/json/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "io/text/number.h"

namespace penstock {

JsonKind JsonValue::kind() const {
  return tree_->nodes_[at_].kind;
}

std::string_view JsonValue::key() const {
  return tree_->words_[tree_->nodes_[at_].key];
}

double JsonValue::number() const {
  return tree_->nodes_[at_].number;
}

std::string_view JsonValue::text() const {
  return tree_->words_[tree_->nodes_[at_].text];
}

std::optional<JsonValue> JsonValue::first() const {
  const std::uint32_t end = tree_->nodes_[at_].end;
  if (end == at_ + 1) return std::nullopt;
  return JsonValue(*tree_, at_ + 1, end);
}

std::optional<JsonValue> JsonValue::next() const {
  const std::uint32_t end = tree_->nodes_[at_].end;
  if (end >= bound_) return std::nullopt;
  return JsonValue(*tree_, end, bound_);
}

std::size_t JsonValue::size() const {
  std::size_t count = 0;
  for (auto member = first(); member; member = member->next()) ++count;
  return count;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (kind() != JsonKind::object) return std::nullopt;
  for (auto member = first(); member; member = member->next())
    if (member->key() == key) return member;
  return std::nullopt;
}

/// Takes what nlohmann's reader finds, value by value; the names are its choice.
class JsonTreeBuilder {
 public:
  JsonTreeBuilder() { tree_.words_.emplace_back(); }

  bool null() { return add(JsonKind::null, 0); }
  bool boolean(bool value) { return add(JsonKind::boolean, value ? 1 : 0); }
  bool number_integer(std::int64_t value) { return add_number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) { return add_number(static_cast<double>(value)); }
  bool number_float(double value, const std::string& /*written*/) { return add_number(value); }
  bool string(std::string& value) {
    if (!add(JsonKind::text, 0)) return false;
    tree_.nodes_.back().text = word(value);
    return true;
  }
  bool binary(nlohmann::json::binary_t& /*value*/) { return false; }  // not in JSON text
  bool start_object(std::size_t /*size*/) { return open(JsonKind::object); }
  bool start_array(std::size_t /*size*/) { return open(JsonKind::list); }
  bool key(std::string& name) {
    key_ = word(name);
    return true;
  }
  bool end_object() {
    note_repeated_keys(open_.back());
    return close();
  }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) {
    position_ = position;
    out_of_range_ = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
    return false;
  }

  JsonTree take() && { return std::move(tree_); }
  std::string error_message(std::string_view text, const std::string& file) const;

 private:
  bool add_number(double value) { return add(JsonKind::number, value); }

  bool add(JsonKind kind, double number) {
    const auto at = static_cast<std::uint32_t>(tree_.nodes_.size());
    tree_.nodes_.push_back({.number = number, .key = key_, .end = at + 1, .kind = kind});
    key_ = 0;
    return true;
  }

  bool open(JsonKind kind) {
    open_.push_back(static_cast<std::uint32_t>(tree_.nodes_.size()));
    return add(kind, 0);
  }

  bool close() {
    tree_.nodes_[open_.back()].end = static_cast<std::uint32_t>(tree_.nodes_.size());
    open_.pop_back();
    return true;
  }

  std::uint32_t word(const std::string& text) {
    if (text.empty()) return 0;
    if (const auto known = places_.find(text); known != places_.end()) return known->second;
    const auto place = static_cast<std::uint32_t>(tree_.words_.size());
    tree_.words_.push_back(text);
    places_.emplace(tree_.words_.back(), place);
    return place;
  }

  void note_repeated_keys(std::uint32_t object) {
    keys_.clear();
    for (std::uint32_t at = object + 1; at < tree_.nodes_.size(); at = tree_.nodes_[at].end)
      keys_.push_back(tree_.nodes_[at].key);
    std::ranges::sort(keys_);
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      const bool again = keys_[i] == keys_[i - 1] && (i < 2 || keys_[i] != keys_[i - 2]);
      if (again) tree_.repeated_.push_back(path_of(keys_[i]));
    }
  }

  /// Of a member of the innermost open object.
  std::string path_of(std::uint32_t key) const {
    std::string path;
    for (const std::uint32_t at : open_)
      if (at != 0) path = json_path(path, tree_.words_[tree_.nodes_[at].key]);
    return json_path(path, tree_.words_[key]);
  }

  JsonTree tree_;
  std::unordered_map<std::string_view, std::uint32_t> places_;  ///< of words
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> keys_;
  std::uint32_t key_ = 0;
  std::size_t position_ = 0;
  bool out_of_range_ = false;
};

std::string JsonTreeBuilder::error_message(std::string_view text, const std::string& file) const {
  const std::string_view read = text.substr(0, position_ == 0 ? 0 : position_ - 1);
  const auto line = std::ranges::count(read, '\n') + 1;
  const std::size_t newline = read.rfind('\n');
  const std::size_t column = read.size() - (newline == std::string_view::npos ? 0 : newline + 1);
  const std::string where = fmt::format("{}:{}:{}: ", file, line, column + 1);
  if (out_of_range_) return where + "holds a number that is out of range";
  if (read.size() == text.size()) return where + "ends before its JSON does";
  return where + "is not valid JSON from here on";
}

Result<JsonTree> JsonTree::parse(std::string_view text, const std::string& file) {
  JsonTreeBuilder builder;
  try {
    if (!nlohmann::json::sax_parse(text, &builder)) return Error{builder.error_message(text, file)};
  } catch (const nlohmann::json::exception&) {
    return Error{builder.error_message(text, file)};
  }
  return std::move(builder).take();
}

std::string json_path(std::string_view outer, std::string_view key) {
  std::string path(outer);
  if (!path.empty()) path += '.';
  const std::string quoted = in_quotes(key);
  if (key.empty()) return path + quoted;
  return path.append(quoted, 1, quoted.size() - 2);
}

}  // namespace penstock
