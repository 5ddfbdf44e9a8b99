#include "learn/net/weights_part.h"

namespace penstock {
namespace {

template <class Map>
Map below(const Map& all, const std::string& prefix) {
  Map part;
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at)
    part.emplace(at->first.substr(prefix.size()), at->second);
  return part;
}

}  // namespace

void put_part(Weights& all, const std::string& prefix, const Weights& part) {
  for (const auto& [name, text] : part.metadata) all.metadata[prefix + name] = text;
  for (const auto& [name, tensor] : part.tensors) all.tensors[prefix + name] = tensor;
}

Weights part_of(const Weights& all, const std::string& prefix) {
  return {.metadata = below(all.metadata, prefix), .tensors = below(all.tensors, prefix)};
}

}  // namespace penstock
