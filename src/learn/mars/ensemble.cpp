#include "learn/mars/ensemble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "learn/mars/observation.h"
#include "learn/net/weights.h"

namespace penstock {
namespace {

constexpr const char* kMembers = "penstock.members";

NetDescription texts() {
  return {.kind = "queue-ensemble",
          .feature_version = kFeatureVersion,
          .item_features = item_features(),
          .global_features = global_features()};
}

Result<NamedNetwork> load_member(const Weights& weights, const std::string& name) {
  auto net = ActorCritic::load(part_of(weights, name + "/"));
  if (!net) return std::move(net).error().in(fmt::format("network '{}'", name));
  if (net->shape() != observer_shape(net->shape().kind))
    return Error{fmt::format("network '{}' is not of the shape that its features need", name)};
  return NamedNetwork{name, *std::move(net)};
}

constexpr const char* kArrivals = "past/arrivals";
constexpr const char* kParts = "past/parts";
constexpr const char* kParents = "past/parents";
constexpr std::size_t kArrivalColumns = 3;
constexpr std::size_t kParentColumns = 2;

/// A row for each job and one it waited for: its place, and how many came from that one to it. Not
/// there where nobody waited.
void store_parents(const PastJobs& past, Weights& weights) {
  std::vector<double> pairs;
  for (std::size_t i = 0; i < past.arrivals.size(); ++i)
    for (const std::uint32_t back : past.arrivals[i].parents_back)
      pairs.insert(pairs.end(), {static_cast<double>(i), static_cast<double>(back)});
  if (pairs.empty()) return;
  weights.tensors[kParents] = {{pairs.size() / kParentColumns, kParentColumns}, std::move(pairs)};
}

void store_past(const PastJobs& past, Weights& weights) {
  std::vector<double> rows;
  for (const Arrival& arrival : past.arrivals)
    rows.insert(rows.end(),
                {static_cast<double>(arrival.gap.count()), static_cast<double>(arrival.gpus),
                 static_cast<double>(arrival.requested.count())});
  weights.tensors[kArrivals] = {{past.arrivals.size(), kArrivalColumns}, std::move(rows)};
  weights.tensors[kParts] = {{past.parts.size()}, past.parts};
  store_parents(past, weights);
}

/// The length of a tensor's first dimension; 0 if it is not there.
std::uint64_t rows_of(const Weights& weights, const char* name) {
  const auto found = weights.tensors.find(name);
  return found == weights.tensors.end() || found->second.shape.empty() ? 0 : found->second.shape[0];
}

/// Milliseconds of a gap or a request that could have been.
bool is_time(double ms) {
  constexpr double kCentury = 100 * 366 * 86'400e3;
  return ms >= 0 && ms <= kCentury;
}

Result<Done> load_parents(const Weights& weights, PastJobs& past) {
  const std::uint64_t count = rows_of(weights, kParents);
  if (count == 0) return Done{};
  const auto pairs = stored_values<double>(weights, kParents, {count, kParentColumns});
  if (!pairs) return pairs.error();
  for (std::size_t i = 0; i < pairs->size(); i += kParentColumns) {
    const double place = (*pairs)[i];
    const double back = (*pairs)[i + 1];
    if (!(back >= 1 && back <= place && place < static_cast<double>(past.arrivals.size())))
      return Error{
          fmt::format("{}: row {} names no job before another", kParents, i / kParentColumns + 1)};
    past.arrivals[static_cast<std::size_t>(place)].parents_back.push_back(
        static_cast<std::uint32_t>(back));
  }
  return Done{};
}

Result<PastJobs> load_past(const Weights& weights) {
  PastJobs past;
  const std::uint64_t count = rows_of(weights, kArrivals);
  const auto rows = stored_values<double>(weights, kArrivals, {count, kArrivalColumns});
  if (!rows) return rows.error();
  const auto parts = stored_values<double>(weights, kParts, {rows_of(weights, kParts)});
  if (!parts) return parts.error();
  for (std::size_t i = 0; i < rows->size(); i += kArrivalColumns) {
    const double gap = (*rows)[i];
    const double gpus = (*rows)[i + 1];
    const double requested = (*rows)[i + 2];
    if (!is_time(gap) || !is_time(requested) || !(gpus >= 1 && gpus <= 1e9))
      return Error{fmt::format("{}: row {} is no job that could have been", kArrivals,
                               i / kArrivalColumns + 1)};
    past.arrivals.push_back({.gap = Duration(static_cast<std::int64_t>(gap)),
                             .gpus = static_cast<std::uint32_t>(gpus),
                             .requested = Duration(static_cast<std::int64_t>(requested))});
  }
  for (const double part : *parts)
    if (!(part >= 0 && part <= 1e6)) return Error{fmt::format("{}: {} is no part", kParts, part)};
  past.parts = *parts;
  if (auto parents = load_parents(weights, past); !parents) return std::move(parents).error();
  return past;
}

}  // namespace

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

NetShape observer_shape(ActorKind kind) {
  return {.kind = kind,
          .item_features = static_cast<std::uint32_t>(item_features().size()),
          .global_features = static_cast<std::uint32_t>(global_features().size())};
}

std::string encode_ensemble(const Ensemble& ensemble) {
  Weights all;
  put_description(all, texts());
  std::vector<std::string_view> names;
  for (const NamedNetwork& member : ensemble.members) {
    names.push_back(member.name);
    Weights own;
    member.net.store(own);
    put_part(all, member.name + "/", own);
  }
  store_past(ensemble.past, all);
  all.metadata[kMembers] = fmt::format("{}", fmt::join(names, " "));
  for (const auto& [key, text] : ensemble.about) all.metadata[kAboutPrefix + key] = text;
  return encode_weights(all);
}

Result<Ensemble> decode_ensemble(std::string_view bytes) {
  const auto weights = decode_weights(bytes);
  if (!weights) return weights.error();
  if (auto fine = check_description(*weights, texts()); !fine) return std::move(fine).error();
  const auto names = stored_text(*weights, kMembers);
  if (!names) return names.error();
  Ensemble ensemble{.about = part_of(*weights, kAboutPrefix).metadata};
  for (const std::string& name : names_in(*names)) {
    auto member = load_member(*weights, name);
    if (!member) return std::move(member).error();
    ensemble.members.push_back(*std::move(member));
  }
  auto past = load_past(*weights);
  if (!past) return std::move(past).error();
  ensemble.past = *std::move(past);
  return ensemble;
}

}  // namespace penstock
