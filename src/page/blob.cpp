#include "page/blob.h"

namespace penstock {

using Json = nlohmann::ordered_json;

std::size_t Blob::place(const std::string& bytes) {
  const std::size_t hash = std::hash<std::string>{}(bytes);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (bytes_.compare(at->second.first, at->second.second, bytes) == 0) return at->second.first;
  bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
  const std::size_t begin = bytes_.size();
  bytes_ += bytes;
  by_hash_.emplace(hash, std::pair(begin, bytes.size()));
  return begin;
}

Json Blob::add(const PackedColumn& column) {
  Json json;
  if (column.encoding == "const") {
    json = {{"enc", "const"}, {"rows", column.rows}, {"value", nullptr}};
    if (column.value) json["value"] = *column.value;
    return json;
  }
  return {{"at", place(column.bytes)}, {"enc", column.encoding}, {"rows", column.rows}};
}

Json Blob::add(const PackedTable& table) {
  Json columns = Json::object();
  for (const auto& [name, column] : table.columns) columns[std::string(name)] = add(column);
  return {{"rows", table.rows}, {"columns", std::move(columns)}};
}

std::int32_t Dictionary::number(std::string_view text) {
  const auto [found, added] =
      numbers_.emplace(std::string(text), static_cast<std::int32_t>(texts_.size()));
  if (added) texts_.emplace_back(text);
  return found->second;
}

}  // namespace penstock
