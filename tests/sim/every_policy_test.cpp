// What every policy must keep, in every variant, on random worlds. The registry is
// the list: a new policy is tested the moment it is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "worlds/changed_future.h"
#include "worlds/promises.h"
#include "worlds/random_world.h"
#include "worlds/reasons.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/text.h"
#include "worlds/worlds_to_try.h"

namespace penstock {
namespace {

struct Variant {
  std::string_view policy;
  Options options;
};

std::vector<std::string> choices(const PolicyEntry& entry, std::string_view option,
                                 std::vector<std::string> all) {
  const bool has = std::ranges::any_of(entry.options,
                                       [&](const OptionSpec& spec) { return spec.name == option; });
  return has ? std::move(all) : std::vector<std::string>{""};
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const PolicyEntry& entry : core_policies().all())
    for (const auto& backfill : choices(entry, "backfill", {"none", "easy", "conservative", "3"}))
      for (const auto& place :
           choices(entry, "place", {"first-fit", "best-fit", "consolidate", "buddy"})) {
        Options options;
        if (!backfill.empty()) options["backfill"] = backfill;
        if (!place.empty()) options["place"] = place;
        if (entry.name == "las") options["quantum"] = "20 s";
        variants.push_back({entry.name, options});
      }
  return variants;
}

std::string variant_name(const testing::TestParamInfo<Variant>& info) {
  std::string name(info.param.policy);
  for (const auto& [option, value] : info.param.options) name += "_" + value;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class EveryPolicy : public testing::TestWithParam<Variant> {
 protected:
  static constexpr std::uint64_t kEveryWorlds = worlds_to_try(16);

  RunLog run_in(const World& world) const {
    return run_logged(world, GetParam().policy, GetParam().options);
  }
  /// A few worlds, others for each variant; in every other one jobs scale, half of the kinds of
  /// every other of those are pipelines, and in every other pair some nodes are billed by tables.
  template <class Look>
  void for_each_world(const Look& look, std::uint64_t worlds = kEveryWorlds) const {
    std::uint64_t first = 1000;
    for (const char c : variant_name({GetParam(), 0}))
      first = first * 31 + static_cast<unsigned char>(c);
    first %= 1'000'000;
    for (std::uint64_t seed = first; seed < first + worlds && !HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << "world " << seed);
      look(random_world(
          seed, {.elastic = seed % 2 == 1, .fronts = seed % 8 >= 5, .tables = seed % 4 >= 2}));
    }
  }
};

TEST_P(EveryPolicy, acts_only_as_is_possible_and_ends_every_job_once) {
  for_each_world([&](const World& world) {
    const RunLog log = run_in(world);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    EXPECT_EQ(log.ended.size(), world.jobs.size());
    EXPECT_EQ(log.result.submitted, world.jobs.size());
    EXPECT_EQ(log.result.ended, world.jobs.size());
  });
}

TEST_P(EveryPolicy, lets_every_job_do_its_work_and_no_more) {
  for_each_world([&](const World& world) {
    const Replay replay(world, run_in(world));
    for (const TracedJob& traced : world.jobs) expect_work_done(world, replay, traced.job.id);
  });
}

TEST_P(EveryPolicy, is_recorded_as_it_went) {
  for_each_world([&](const World& world) {
    const RunLog log = run_in(world);
    const Replay replay(world, log);
    for (const EndedJob& job : log.ended) expect_recorded(world, replay, job);
  });
}

TEST_P(EveryPolicy, gives_the_same_run_and_bill_twice) {
  for_each_world([&](const World& world) {
    const RunLog one = run_in(world);
    const RunLog two = run_in(world);
    EXPECT_EQ(text_of(one.turns, world.start()), text_of(two.turns, world.start()));
    ASSERT_EQ(one.ended.size(), two.ended.size());
    for (std::size_t i = 0; i < one.ended.size(); ++i)
      EXPECT_EQ(one.ended[i].bill, two.ended[i].bill);
    for (std::size_t i = 0; i < one.result.sites.size(); ++i)
      EXPECT_EQ(one.result.sites[i].bill.total(), two.result.sites[i].bill.total());
  });
}

TEST_P(EveryPolicy, decides_nothing_by_what_is_still_to_come) {
  for_each_world([&](const World& world) {
    const RunLog log = run_in(world);
    for (const double part : {0.25, 0.5, 0.75}) {
      const Duration length = log.turns.back().now - world.start();
      const Time then = world.start() + round_duration(part * seconds(length));
      const World other = with_changed_future(world, log, then);
      EXPECT_EQ(text_of(turns_before(log, then), world.start()),
                text_of(turns_before(run_in(other), then), world.start()));
    }
  });
}

TEST_P(EveryPolicy, says_why_of_all_it_does_and_does_the_same_unasked) {
  for_each_world(
      [&](const World& world) {
        const RunLog log = run_explained(world, GetParam().policy, GetParam().options);
        expect_reasons(log);
        expect_same_unexplained(log, run_in(world), world.start());
      },
      kEveryWorlds / 2);
}

/// The traits that actions show. Whatever sites do by themselves is theirs, not that of a policy
/// which holds them.
PolicyTraits shown_by(const RunLog& log) {
  PolicyTraits shown;
  for (const Turn& turn : log.turns)
    for (const Action& action : turn.actions) {
      if (const auto* start = std::get_if<Start>(&action))
        shown.sets_clocks |= start->knobs.clock_mhz.has_value();
      shown.sets_clocks |= std::holds_alternative<SetClock>(action);
      shown.resizes |= std::holds_alternative<Resize>(action);
      shown.migrates |= std::holds_alternative<Migrate>(action);
      shown.preempts |= std::holds_alternative<Preempt>(action);
    }
  return shown;
}

TEST_P(EveryPolicy, does_only_what_its_traits_say) {
  const PolicyTraits& said = core_policies().find(GetParam().policy)->traits;
  for_each_world([&](const World& world) {
    const PolicyTraits shown = shown_by(run_in(world));
    for (const PolicyTrait& trait : all_policy_traits())
      EXPECT_TRUE(said.*trait.has || !(shown.*trait.has)) << trait.name;
  });
}

/// The largest node of the site and type that a placement lies in.
std::uint32_t largest_node_around(const World& world, const Placement& where) {
  const Node& first = world.cluster.node(where.front().first);
  std::uint32_t largest = 0;
  for (const Node& node : world.cluster.nodes)
    if (node.site == first.site && node.type == first.type) largest = std::max(largest, node.gpus);
  return largest;
}

bool on_one_node(const World& world, const Placement& where) {
  return std::ranges::all_of(where, [&](const GpuRange& range) {
    return world.cluster.node_of[range.first.index] ==
           world.cluster.node_of[where.front().first.index];
  });
}

TEST_P(EveryPolicy, keeps_small_jobs_on_one_node_if_it_consolidates) {
  const auto place = GetParam().options.find("place");
  if (place == GetParam().options.end()) return;
  if (place->second != "consolidate" && place->second != "buddy") return;
  for_each_world([&](const World& world) {
    const Replay replay(world, run_in(world));
    for (const RunSegment& stay : replay.stays()) {
      const bool small = gpu_count(stay.where) <= largest_node_around(world, stay.where);
      EXPECT_TRUE(!small || on_one_node(world, stay.where)) << "job " << stay.job.index;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPolicy, testing::ValuesIn(all_variants()), variant_name);

}  // namespace
}  // namespace penstock
