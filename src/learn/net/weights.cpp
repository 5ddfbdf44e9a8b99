#include "learn/net/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie");
using Json = nlohmann::ordered_json;

constexpr std::string_view kTypes = "F32, F64, U64";
constexpr const char* kMetadata = "__metadata__";

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "F32";
  if constexpr (std::is_same_v<T, double>) return "F64";
  return "U64";
}

const char* type_name(const StoredTensor& tensor) {
  return std::visit([]<class T>(const std::vector<T>& /*values*/) { return type_name<T>(); },
                    tensor.values);
}

/// Nothing if it does not fit into 64 bits.
std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& shape) {
  std::uint64_t all = 1;
  for (const std::uint64_t side : shape) {
    if (side != 0 && all > std::numeric_limits<std::uint64_t>::max() / side) return std::nullopt;
    all *= side;
  }
  return all;
}

struct Place {
  std::string name;
  std::string type;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Result<std::vector<std::uint64_t>> whole_numbers(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end()) return Error{fmt::format("{}: is missing", key)};
  if (!found->is_array()) return Error{fmt::format("{}: is not a list", key)};
  std::vector<std::uint64_t> numbers;
  for (const Json& number : *found) {
    if (!number.is_number_unsigned())
      return Error{fmt::format("{}: holds what is not a whole number from 0", key)};
    numbers.push_back(number.get<std::uint64_t>());
  }
  return numbers;
}

Result<Place> read_offsets(const std::string& name, const Json& entry) {
  if (!entry.is_object()) return Error{"is not an object"};
  const auto type = entry.find("dtype");
  if (type == entry.end() || !type->is_string()) return Error{"dtype: is missing, or not a text"};
  auto shape = whole_numbers(entry, "shape");
  if (!shape) return std::move(shape).error();
  auto offsets = whole_numbers(entry, "data_offsets");
  if (!offsets) return std::move(offsets).error();
  if (offsets->size() != 2) return Error{"data_offsets: are not two numbers"};
  return Place{name, type->get<std::string>(), *std::move(shape), (*offsets)[0], (*offsets)[1]};
}

Result<std::map<std::string, std::string>> read_metadata(const Json& entry) {
  if (!entry.is_object()) return Error{"is not an object"};
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) return Error{key + ": is not a text"};
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

template <class T>
Result<StoredTensor> read_values(const Place& place, std::string_view numbers) {
  const std::optional<std::uint64_t> count = product(place.shape);
  const std::uint64_t size = place.end - place.begin;
  if (!count || *count > size / sizeof(T) || *count * sizeof(T) != size)
    return Error{fmt::format("shape: [{}] of {} does not fill {} bytes",
                             fmt::join(place.shape, ", "), place.type, size)};
  std::vector<T> values(*count);
  if (size > 0) std::memcpy(values.data(), numbers.data() + place.begin, size);
  return StoredTensor{place.shape, std::move(values)};
}

Result<StoredTensor> read_tensor(const Place& place, std::string_view numbers) {
  if (place.type == "F32") return read_values<float>(place, numbers);
  if (place.type == "F64") return read_values<double>(place, numbers);
  if (place.type == "U64") return read_values<std::uint64_t>(place, numbers);
  return Error{fmt::format("dtype: no '{}' here; there are: {}", place.type, kTypes)};
}

/// Tensors lie one after another, without overlap or gap, and fill the file.
Result<Done> check_places(std::vector<Place>& places, std::uint64_t size) {
  std::ranges::stable_sort(places, {}, [](const Place& p) { return std::pair(p.begin, p.end); });
  std::uint64_t at = 0;
  for (const Place& place : places) {
    const auto wrong = [&](const std::string& what) {
      return Error{
          fmt::format("{}: data_offsets: [{}, {}] {}", place.name, place.begin, place.end, what)};
    };
    if (place.begin > place.end) return wrong("end before they begin");
    if (place.end > size) return wrong(fmt::format("reach beyond the {} bytes there are", size));
    if (place.begin < at) return wrong("overlap another tensor's");
    if (place.begin > at) return wrong(fmt::format("leave a gap after byte {}", at));
    at = place.end;
  }
  if (at != size)
    return Error{fmt::format("{} bytes follow the {} that the header tells of", size - at, at)};
  return Done{};
}

struct Halves {
  Json header;
  std::string_view numbers;
};

Result<Halves> split(std::string_view bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length)
    return Error{fmt::format("{} bytes are too few for a weights file", bytes.size())};
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  if (length > kLongestWeightsHeader)
    return Error{fmt::format("header: {} bytes are more than the {} allowed: not a weights file?",
                             length, kLongestWeightsHeader)};
  if (length > bytes.size())
    return Error{
        fmt::format("header: {} bytes long, but only {} follow: truncated?", length, bytes.size())};
  Json header = Json::parse(bytes.substr(0, length), nullptr, false);
  if (!header.is_object()) return Error{"header: is not a JSON object"};
  return Halves{std::move(header), bytes.substr(length)};
}

std::uint64_t bytes_of(const StoredTensor& tensor) {
  return std::visit([](const auto& values) { return values.size() * sizeof(values[0]); },
                    tensor.values);
}

template <class Map>
Map below(const Map& all, const std::string& prefix) {
  Map part;
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at)
    part.emplace(at->first.substr(prefix.size()), at->second);
  return part;
}

constexpr const char* kGlobalFeaturesKey = "penstock.global_features";

struct Line {
  const char* key;
  const char* meaning;
  std::string text{};
};

std::array<Line, 4> lines_of(const NetDescription& texts) {
  return {Line{kKindText, "kind of weights", std::string(texts.kind)},
          Line{"penstock.feature_version", "version of features",
               std::to_string(texts.feature_version)},
          Line{"penstock.item_features", "features of an item",
               fmt::format("{}", fmt::join(texts.item_features, " "))},
          Line{kGlobalFeaturesKey, "features of the whole",
               fmt::format("{}", fmt::join(texts.global_features, " "))}};
}

}  // namespace

std::string encode_weights(const Weights& weights) {
  Json header = Json::object();
  if (!weights.metadata.empty()) header[kMetadata] = weights.metadata;
  std::uint64_t at = 0;
  for (const auto& [name, tensor] : weights.tensors) {
    const std::uint64_t size = bytes_of(tensor);
    header[name] = {
        {"dtype", type_name(tensor)}, {"shape", tensor.shape}, {"data_offsets", {at, at + size}}};
    at += size;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // numbers begin where a reader may map them
  const std::uint64_t length = text.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += text;
  for (const auto& [name, tensor] : weights.tensors)
    std::visit(
        [&](const auto& values) {
          bytes.append(reinterpret_cast<const char*>(values.data()), bytes_of(tensor));
        },
        tensor.values);
  return bytes;
}

Result<Weights> decode_weights(std::string_view bytes) {
  auto halves = split(bytes);
  if (!halves) return std::move(halves).error();
  Weights weights;
  std::vector<Place> places;
  for (const auto& [name, entry] : halves->header.items()) {
    if (name == kMetadata) {
      auto metadata = read_metadata(entry);
      if (!metadata) return std::move(metadata).error().in(name);
      weights.metadata = *std::move(metadata);
      continue;
    }
    auto place = read_offsets(name, entry);
    if (!place) return std::move(place).error().in(name);
    places.push_back(*std::move(place));
  }
  if (auto checked = check_places(places, halves->numbers.size()); !checked)
    return std::move(checked).error();
  for (const Place& place : places) {
    auto tensor = read_tensor(place, halves->numbers);
    if (!tensor) return std::move(tensor).error().in(place.name);
    weights.tensors[place.name] = *std::move(tensor);
  }
  return weights;
}

template <class T>
Result<std::vector<T>> stored_values(const Weights& weights, const std::string& name,
                                     const std::vector<std::uint64_t>& shape) {
  const auto found = weights.tensors.find(name);
  if (found == weights.tensors.end()) return Error{name + ": there is no such tensor"};
  const auto* values = std::get_if<std::vector<T>>(&found->second.values);
  if (values == nullptr)
    return Error{fmt::format("{}: holds {}, but {} is needed", name, type_name(found->second),
                             type_name<T>())};
  if (found->second.shape != shape)
    return Error{fmt::format("{}: has the shape [{}], but [{}] is needed", name,
                             fmt::join(found->second.shape, ", "), fmt::join(shape, ", "))};
  return *values;
}

template Result<std::vector<float>> stored_values(const Weights&, const std::string&,
                                                  const std::vector<std::uint64_t>&);
template Result<std::vector<double>> stored_values(const Weights&, const std::string&,
                                                   const std::vector<std::uint64_t>&);
template Result<std::vector<std::uint64_t>> stored_values(const Weights&, const std::string&,
                                                          const std::vector<std::uint64_t>&);

Result<std::string> stored_text(const Weights& weights, const std::string& name) {
  const auto found = weights.metadata.find(name);
  if (found == weights.metadata.end()) return Error{name + ": is missing from the metadata"};
  return found->second;
}

void put_part(Weights& all, const std::string& prefix, const Weights& part) {
  for (const auto& [name, text] : part.metadata) all.metadata[prefix + name] = text;
  for (const auto& [name, tensor] : part.tensors) all.tensors[prefix + name] = tensor;
}

Weights part_of(const Weights& all, const std::string& prefix) {
  return {.metadata = below(all.metadata, prefix), .tensors = below(all.tensors, prefix)};
}

void put_description(Weights& weights, const NetDescription& texts) {
  for (const Line& line : lines_of(texts)) weights.metadata[line.key] = line.text;
}

Result<Done> check_description(const Weights& weights, const NetDescription& texts) {
  for (const Line& line : lines_of(texts)) {
    const auto text = stored_text(weights, line.key);
    if (!text) return text.error();
    if (*text != line.text)
      return Error{fmt::format("{}: trained with '{}', this program has '{}'; train anew",
                               line.meaning, *text, line.text)};
  }
  return Done{};
}

std::string stored_global_features(const Weights& weights) {
  const auto found = weights.metadata.find(kGlobalFeaturesKey);
  return found == weights.metadata.end() ? std::string() : found->second;
}

}  // namespace penstock
