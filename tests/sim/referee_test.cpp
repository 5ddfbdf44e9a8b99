// Re-adds energy, money and carbon of whole runs by brute force: one elementary
// interval after the other, GPU by GPU, from the run log and the signals alone.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "worlds/random_world.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

/// Joules, money and grams, and how large their parts were before signs cancelled.
struct Tally {
  std::array<double, 3> sum{};
  std::array<double, 3> size{};
  void add(const Tally& other) {
    for (std::size_t i = 0; i < 3; ++i) {
      sum[i] += other.sum[i];
      size[i] += other.size[i];
    }
  }
};

struct SiteTally {
  Tally jobs, idle, overhead;
};

template <class Q>
double value_at(const Signal<Q>& signal, Time t) {
  double value = signal.steps().front().value.value();
  for (const auto& step : signal.steps())
    if (step.from <= t) value = step.value.value();
  return value;
}

class Referee {
 public:
  Referee(const World& world, const Replay& replay)
      : world_(world), replay_(replay), sites(world.cluster.sites.size()), jobs(world.jobs.size()) {
    const std::vector<Time> cuts = find_cuts();
    for (std::size_t i = 1; i < cuts.size(); ++i) add_interval(cuts[i - 1], cuts[i]);
  }

 private:
  const World& world_;
  const Replay& replay_;

 public:
  std::vector<SiteTally> sites;  ///< indexed by SiteId
  std::vector<Tally> jobs;       ///< indexed by JobId
  double gpu_seconds = 0;

 private:
  /// Every instant at which anything changes, in order.
  std::vector<Time> find_cuts() const {
    std::set<Time> cuts{world_.start(), replay_.end()};
    for (const SiteSignals& signals : world_.signals) {
      for (const auto& step : signals.price.steps()) cuts.insert(step.from);
      for (const auto& step : signals.carbon.steps()) cuts.insert(step.from);
      for (const auto& step : signals.pue.steps()) cuts.insert(step.from);
    }
    for (const Stay& stay : replay_.stays()) cuts.insert({stay.from, stay.to});
    for (const auto& spans : replay_.nodes())
      for (const NodeSpan& span : spans) cuts.insert(span.from);
    cuts.erase(cuts.begin(), cuts.find(world_.start()));
    cuts.erase(std::next(cuts.find(replay_.end())), cuts.end());
    return {cuts.begin(), cuts.end()};
  }

  void add_interval(Time from, Time to) {
    for (std::uint32_t n = 0; n < world_.cluster.nodes.size(); ++n) {
      const Node& node = world_.cluster.nodes[n];
      const NodePhase phase = phase_at(n, from);
      const Watts base = phase == NodePhase::awake    ? node.base
                         : phase == NodePhase::asleep ? node.base_sleep
                                                      : Watts(0);
      sites[node.site.index].overhead.add(tally(node.site, base, from, to));
      for (std::uint32_t g = 0; g < node.gpus; ++g)
        add_gpu(GpuId{node.first.index + g}, phase, from, to);
    }
  }

  void add_gpu(GpuId gpu, NodePhase phase, Time from, Time to) {
    const Node& node = world_.cluster.node(gpu);
    const GpuType& type = world_.cluster.type(node);
    if (const Stay* stay = holder(gpu, from)) {
      const Tally used = tally(node.site, world_.draw(stay->job, gpu), from, to);
      jobs[stay->job.index].add(used);
      sites[node.site.index].jobs.add(used);
      gpu_seconds += seconds(to - from);
      return;
    }
    const Watts idle = phase == NodePhase::awake    ? type.idle
                       : phase == NodePhase::asleep ? type.sleep
                                                    : Watts(0);
    sites[node.site.index].idle.add(tally(node.site, idle, from, to));
  }

  Tally tally(SiteId site, Watts draw, Time from, Time to) const {
    const SiteSignals& signals = world_.signals[site.index];
    const double joules = draw.value() * value_at(signals.pue, from) * seconds(to - from);
    const double money = joules / 3.6e6 * value_at(signals.price, from);
    const double grams = joules / 3.6e6 * value_at(signals.carbon, from);
    return {{joules, money, grams}, {joules, std::abs(money), grams}};
  }

  const Stay* holder(GpuId gpu, Time t) const {
    for (const Stay& stay : replay_.stays())
      if (stay.from <= t && t < stay.to && stay.covers(gpu)) return &stay;
    return nullptr;
  }

  NodePhase phase_at(std::uint32_t node, Time t) const {
    for (const NodeSpan& span : replay_.nodes()[node])
      if (span.from <= t && t < span.to) return span.phase;
    return NodePhase::awake;
  }
};

void expect_same(const Bill& bill, const Tally& tally, double tolerance) {
  const std::array<double, 3> billed{bill.energy.value(), bill.cost.value(), bill.carbon.value()};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(billed[i], tally.sum[i], tolerance * tally.size[i] + 1e-12) << "measure " << i;
}

struct Case {
  const char* policy;
  Options options;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"fifo", {{"backfill", "none"}}},
      {"fifo", {{"backfill", "easy"}, {"place", "best-fit"}}},
      {"srtf", {{"backfill", "none"}}},
      {"las", {{"backfill", "easy"}, {"place", "consolidate"}, {"quantum", "10 s"}}},
      {"wfp3", {{"backfill", "conservative"}, {"place", "buddy"}}},
  };
  return all;
}

template <class Look>
void for_each_run(std::uint64_t worlds, const Look& look) {
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    const World world = random_world(seed);
    for (const Case& c : cases()) {
      SCOPED_TRACE(testing::Message() << c.policy << " in world " << seed);
      const RunLog log = run_logged(world, c.policy, c.options);
      const Replay replay(world, log);
      ASSERT_TRUE(replay.faults().empty()) << replay.faults().front();
      look(world, log, Referee(world, replay));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Referee, finds_the_same_bill_for_every_job) {
  for_each_run(60, [](const World&, const RunLog& log, const Referee& referee) {
    for (const EndedJob& job : log.ended) expect_same(job.bill, referee.jobs[job.job.index], 1e-9);
  });
}

TEST(Referee, finds_the_same_bill_for_every_part_of_every_site) {
  for_each_run(60, [](const World&, const RunLog& log, const Referee& referee) {
    for (std::size_t i = 0; i < referee.sites.size(); ++i) {
      const SiteBill& bill = log.result.sites[i].bill;
      SiteTally site = referee.sites[i];
      expect_same(bill.jobs, site.jobs, 1e-9);
      expect_same(bill.idle, site.idle, 1e-9);
      expect_same(bill.overhead, site.overhead, 1e-9);
      site.jobs.add(site.idle);
      site.jobs.add(site.overhead);
      expect_same(bill.total(), site.jobs, 1e-9);
    }
  });
}

TEST(Referee, finds_that_bills_of_jobs_add_up_to_those_of_sites) {
  for_each_run(60, [](const World&, const RunLog& log, const Referee& referee) {
    Bill by_job;
    for (const EndedJob& job : log.ended) by_job += job.bill;
    Bill by_site;
    Tally size;
    for (std::size_t i = 0; i < referee.sites.size(); ++i) {
      by_site += log.result.sites[i].bill.jobs;
      size.add(referee.sites[i].jobs);
    }
    size.sum = {by_site.energy.value(), by_site.cost.value(), by_site.carbon.value()};
    expect_same(by_job, size, 1e-9);
  });
}

TEST(Referee, finds_the_same_gpu_time) {
  for_each_run(60, [](const World&, const RunLog& log, const Referee& referee) {
    Duration gpu_time{};
    for (const SiteResult& site : log.result.sites) gpu_time += site.gpu_time;
    EXPECT_NEAR(seconds(gpu_time), referee.gpu_seconds, 1e-6);
  });
}

TEST(Referee, has_seen_worlds_with_sleep_failures_and_preemption) {
  std::uint64_t sleeps = 0;
  std::uint64_t interruptions = 0;
  std::uint64_t preemptions = 0;
  for_each_run(60, [&](const World&, const RunLog& log, const Referee&) {
    sleeps += log.result.node_sleeps;
    interruptions += log.result.interruptions;
    preemptions += log.result.preemptions;
  });
  EXPECT_GT(sleeps, 100u);
  EXPECT_GT(interruptions, 20u);
  EXPECT_GT(preemptions, 100u);
}

}  // namespace
}  // namespace penstock
