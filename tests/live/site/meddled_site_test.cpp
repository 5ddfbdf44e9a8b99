// Every policy over a Slurm in which others have their hands: jobs are cancelled, requeued, started
// and held by somebody else, nodes are drained and fail, other jobs take GPUs, requests are refused
// and answers lost. Nothing may break, and in the end every job has ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/rng.h"
#include "live/live_world.h"
#include "policies/core_policies.h"
#include "worlds/worlds_to_try.h"

namespace penstock {
namespace {

constexpr std::uint64_t kMostWaits = 10'000;  // a run takes about a thousand

struct Variant {
  std::string name;
  std::string_view policy;
  Options options;
};

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  for (const PolicyEntry& entry : core_policies().all()) {
    Options options;
    if (entry.name == "las") options["quantum"] = "20 s";
    variants.push_back({std::string(entry.name), entry.name, options});
    const bool passes = std::ranges::any_of(
        entry.options, [](const OptionSpec& spec) { return spec.name == "backfill"; });
    if (!passes) continue;
    options["backfill"] = "easy";
    options["place"] = "consolidate";
    variants.push_back({std::string(entry.name) + "_easy", entry.name, options});
  }
  return variants;
}

/// Somebody who does what he likes, until he stops.
class Mischief {
 public:
  Mischief(LiveWorld& world, std::uint64_t seed)
      : world_(world),
        rng_(Rng(seed).stream("mischief")),
        until_(kNoon + std::chrono::minutes(20)) {
    answers_lost_ = rng_.uniform() < 0.5 ? 0.03 : 0;
    refusals_ = rng_.uniform() < 0.5 ? 0.05 : 0;
    world.slurm.start_delay = Duration(static_cast<int>(rng_.below(3)) * 900);
    world.connection.answer_delay = Duration(static_cast<int>(rng_.below(3)) * 150);
    world.connection.behaviour = [this](const nlohmann::json&) { return behaviour(); };
    world.is_against = [this] { return rng_.uniform() < 0.05; };
    world.meddle = [this] { meddle(); };
    world.is_over = [this] { return is_over(); };
    life_ends_ = kNoon + std::chrono::seconds(60 + rng_.below(900));
    for (int i = 0; i < 4; ++i) submit();
  }

  /// Once in between Penstock dies.
  bool dies() const { return life_ends_ && world_.slurm.now() >= *life_ends_; }
  void revive() { life_ends_.reset(); }
  bool is_over() const {
    return done_ || dies() || world_.waits > kMostWaits ||
           world_.slurm.now() > kNoon + std::chrono::hours(6);
  }

 private:
  bool chance(double p) { return rng_.uniform() < p; }
  bool goes_on() const { return world_.slurm.now() < until_; }

  FakeSlurm::Behaviour behaviour() {
    if (!goes_on()) return {};
    if (chance(answers_lost_)) return {.lost = true, .done = chance(0.5)};
    if (!chance(refusals_)) return {};
    static const std::vector<std::string> kCodes{"unreachable", "try_again",   "no_such_job",
                                                 "denied",      "not_pending", "refused"};
    return {.refusal = kCodes[rng_.below(kCodes.size())]};
  }

  void submit() {
    static const std::vector<std::string> kComments{"",
                                                    "penstock: checkpoint=yes",
                                                    "penstock: profile=resnet gpus=1-8 grace=10s",
                                                    "penstock: profile=bert gpus=2-4",
                                                    "penstock: deadline=10m priority=3",
                                                    "penstock: profile=resnet gpus=16-32",
                                                    "penstock: profile=bert gpus=3-3 batch=7",
                                                    "penstock: profile=resnet work=0 batch=1e9"};
    static const std::vector<std::uint32_t> kSizes{1, 1, 2, 4, 8};
    FakeJob job{.comment = kComments[rng_.below(kComments.size())],
                .gpus = kSizes[rng_.below(kSizes.size())],
                .length = std::chrono::seconds(5 + rng_.below(400))};
    job.saves = job.comment.size() > 30;
    job.requeue = chance(0.9);
    if (chance(0.8)) {
      job.held = true;
      job.admin_comment = "penstock: held";
    }
    if (chance(0.1)) job.partition = "other";
    if (job.partition == "other") job.held = false;
    world_.slurm.add_job(job);
  }

  void meddle() {
    if (!goes_on()) return tidy_up();
    if (chance(0.02) && world_.slurm.jobs().size() < 24) submit();
    if (chance(0.015)) break_node();
    if (!chance(0.04) || world_.slurm.jobs().empty()) return;
    auto any = world_.slurm.jobs().begin();
    std::advance(any, static_cast<std::ptrdiff_t>(rng_.below(world_.slurm.jobs().size())));
    touch(any->second);
    if (chance(0.5)) world_.connection.hint(any->second);
  }

  void touch(FakeJob& job) {
    FakeCluster& slurm = world_.slurm;
    if (job.is_over()) return;
    switch (rng_.below(6)) {
      case 0:
        return slurm.end(job, chance(0.5) ? "cancelled" : "failed");
      case 1:
        if (job.runs() && job.requeue) send_back(job, chance(0.3));
        return;
      case 2:
        if (job.waits()) (void)slurm.start(job, {});
        return;
      case 3:
        if (job.waits()) job.held = false;
        return slurm.touch();
      case 4:
        if (job.waits()) (void)slurm.start(job, {"n" + std::to_string(rng_.below(3))});
        return;
      default:
        job.partition = chance(0.5) ? "other" : "main";
        return slurm.touch();
    }
  }

  void send_back(FakeJob& job, bool holds) {
    world_.slurm.send_back(job, holds);
    if (holds) held_.insert(job.ref);
  }

  void break_node() {
    const std::string name = "n" + std::to_string(rng_.below(3));
    if (!world_.slurm.node(name).can_work()) return world_.slurm.set_node(name, "idle", {});
    if (chance(0.5)) return world_.slurm.set_node(name, "idle", {"drain"});
    world_.slurm.set_node(name, "down", {});
  }

  /// Who held jobs lets them go, but nobody's else; what was broken is mended.
  void tidy_up() {
    for (FakeNode& node : world_.slurm.nodes())
      if (!node.can_work()) world_.slurm.set_node(node.name, "idle", {});
    bool all_over = true;
    for (auto& [ref, job] : world_.slurm.jobs()) {
      if (held_.contains(ref) && job.held && job.admin_comment != "penstock: held") {
        job.held = false;
        world_.slurm.touch();
      }
      all_over = all_over && job.is_over();
    }
    if (!all_over) over_since_.reset();
    if (all_over && !over_since_) over_since_ = world_.slurm.now();
    done_ = over_since_ && world_.slurm.now() - *over_since_ > std::chrono::seconds(30);
  }

  LiveWorld& world_;
  Rng rng_;
  Time until_;
  double answers_lost_ = 0;
  double refusals_ = 0;
  std::set<std::string> held_;  ///< jobs that he has held
  std::optional<Time> over_since_;
  std::optional<Time> life_ends_;
  bool done_ = false;
};

/// More are looked at by hand: PENSTOCK_WORLDS=1000.
std::uint64_t worlds() {
  const char* wanted = std::getenv("PENSTOCK_WORLDS");
  return wanted == nullptr ? worlds_to_try(3) : std::strtoull(wanted, nullptr, 10);
}

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

void expect_all_over(LiveWorld& world) {
  for (const auto& [ref, job] : world.slurm.jobs())
    EXPECT_TRUE(job.is_over()) << ref << " is " << job.state << (job.held ? ", held " : " ")
                               << job.admin_comment << ", " << job.partition;
  for (const auto& [ref, job] : world.site->jobs()) EXPECT_FALSE(job.id) << ref;
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(world.site->mirror().free_on(NodeId{i}), 4u);
}

class MeddledSite : public testing::TestWithParam<Variant> {
 protected:
  /// From a start of Penstock to its end; what is wrong with it.
  static std::string live_once(LiveWorld& world) {
    auto policy = core_policies().make({.cluster = world.cluster, .start = world.slurm.now()},
                                       GetParam().policy, GetParam().options);
    if (!policy) return policy.error().message;
    Agreement looks(world);
    const std::vector<SiteSignals> signals(1);
    const std::vector<SiteForecasts> forecasts(1);
    (void)run(world, **policy,
              {.cluster = world.cluster,
               .signals = signals,
               .forecasts = forecasts,
               .start = world.slurm.now(),
               .learner = &*world.beliefs,
               .fence = &world},
              looks);
    return looks.fault;
  }
};

TEST_P(MeddledSite, every_job_ends_and_all_agree_on_who_has_what) {
  std::uint64_t first = 7000;
  for (const char c : GetParam().name) first = first * 31 + static_cast<unsigned char>(c);
  first %= 1'000'000;
  for (std::uint64_t seed = first; seed < first + worlds() && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    LiveWorld world(3);
    Mischief mischief(world, seed);
    EXPECT_EQ(live_once(world), "");
    if (mischief.dies()) {
      mischief.revive();
      world.restart();
      EXPECT_EQ(live_once(world), "");
    }
    EXPECT_LE(world.waits, kMostWaits) << "it goes in circles";
    expect_all_over(world);
  }
}

std::string name_of(const testing::TestParamInfo<Variant>& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, MeddledSite, testing::ValuesIn(all_variants()), name_of);

}  // namespace
}  // namespace penstock
