#include "policies/order/list_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "policies/order/list_policy.h"
#include "policy/policy_table.h"

namespace penstock {
namespace {

constexpr OptionSpec kListBackfill{
    "backfill", "none", "none, easy, conservative, or how many blocked jobs keep a reservation"};
constexpr OptionSpec kListPlace{"place", "first-fit", "first-fit, best-fit, consolidate or buddy"};
constexpr OptionSpec kQuantum{"quantum", "1 h",
                              "GPU-time of the first service level; each further level doubles it"};

Result<std::uint32_t> depth_named(const std::string& text) {
  if (text == "none") return 0u;
  if (text == "easy") return 1u;
  if (text == "conservative") return ListPolicy::kUnlimited;
  std::uint32_t depth = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, depth);
  if (error == std::errc() && stop == end && depth < ListPolicy::kUnlimited) return depth;
  return Error{fmt::format("backfill: '{}' is not possible; {}", text, kListBackfill.meaning)};
}

}  // namespace

std::span<const OptionSpec> options_of(const Order& order) {
  static constexpr std::array kPlain{kListBackfill, kListPlace};
  static constexpr std::array kWithQuantum{kListBackfill, kListPlace, kQuantum};
  if (order.preemption == Preemption::higher_level) return kWithQuantum;
  return kPlain;
}

PolicyTraits traits_of(const Order& order) {
  return {.preempts = order.preemption != Preemption::none, .uses_deadlines = order.uses_deadlines};
}

Result<std::unique_ptr<Policy>> make_list_policy(const PolicySetting& setting,
                                                 std::string_view name, const Options& options) {
  const auto order = std::ranges::find(all_orders(), name, &Order::name);
  PENSTOCK_CHECK(order != all_orders().end());
  ListOptions chosen;
  const auto depth = depth_named(options.at("backfill"));
  if (!depth) return depth.error();
  chosen.depth = *depth;

  const std::string& place = options.at("place");
  const auto rule = place_rule_named(place);
  if (!rule)
    return Error{fmt::format("place: '{}' is not possible; {}", place, kListPlace.meaning)};
  chosen.place = *rule;

  if (options.contains("quantum")) {
    const auto quantum = duration_of(options, "quantum");
    if (!quantum) return quantum.error();
    chosen.quantum = *quantum;
  }
  return std::unique_ptr<Policy>(std::make_unique<ListPolicy>(setting, *order, chosen));
}

}  // namespace penstock
