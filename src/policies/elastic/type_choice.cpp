// The value of a job's remaining work is estimated as in value_plan.cpp, from all pools of its site
// at once. Alone it takes its best way on any of them. Crowded, its speed on all GPUs together is
// that of a power law: with speed_p(n) = a_p · n^e on each pool p, GPUs of all pools count as many
// GPUs of one, each by a_p^(1/e).
#include "policies/elastic/type_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "policies/elastic/gpu_auction.h"
#include "policies/elastic/value_plan.h"

namespace penstock {
namespace {

/// So many restarts does a move have to make up for: what jobs come next is not known, and may undo
/// it.
constexpr double kMoveCosts = 2;
/// Where it moves, a job must be worth by such a part more. From 0.05 to 0.2, and from 2 to 8
/// restarts, results hardly differ on the mixed clusters of docs/powerflow.md; with neither, four
/// times as many jobs move.
constexpr double kLeastGain = 0.1;

/// What a job could do in one pool.
struct PoolRun {
  std::uint32_t pool = 0;  ///< among those of the site
  const Curve* curve = nullptr;
  CurveTraits traits{};
  bool is_known = false;  ///< there is a model of the job's kind
  bool is_home = false;
};

struct TypeBidder {
  const AllocationJob* job = nullptr;
  std::uint32_t home = 0;  ///< among the pools of the site
  std::vector<PoolRun> runs{};
  double size = 0;          ///< seconds on the least GPUs of the best type
  double elasticity = 0.5;  ///< there
  double on_all = 0;        ///< seconds on all GPUs of all pools together
  double value = 0;         ///< seconds of all jobs
};

/// All pools of one site.
class SiteTypes {
 public:
  struct PoolOfSite {
    std::uint32_t number = 0;  ///< among all pools
    const AllocationProblem* problem = nullptr;
    PoolCurves* curves = nullptr;
    double price = 0;
  };

  explicit SiteTypes(std::vector<PoolOfSite> pools) : pools_(std::move(pools)) {
    // So that nothing depends on the order in which nodes are listed.
    std::ranges::sort(pools_, {}, [](const PoolOfSite& pool) -> const std::string& {
      return pool.problem->gpu_type().name;
    });
    for (std::uint32_t home = 0; home < pools_.size(); ++home)
      for (const AllocationJob& job : pools_[home].problem->jobs) {
        TypeBidder bidder{.job = &job, .home = home, .runs = runs_of(job, home)};
        if (!bidder.runs.empty()) bidders_.push_back(std::move(bidder));
      }
    std::ranges::sort(bidders_, {}, [](const TypeBidder& bidder) { return bidder.job->id; });
    for (TypeBidder& bidder : bidders_) measure(bidder);
    value_work();
  }

  void choose(std::vector<PoolChange>& changes) const {
    std::vector<GpuBidder> bids;
    bids.reserve(bidders_.size());
    for (const TypeBidder& bidder : bidders_) bids.push_back(bids_of(bidder));
    std::vector<std::uint32_t> gpus;
    gpus.reserve(pools_.size());
    for (const PoolOfSite& pool : pools_) gpus.push_back(pool.problem->gpus);
    const std::vector<GpuAward> awards = auction_gpus(bids, gpus);
    for (std::size_t i = 0; i < bidders_.size(); ++i) {
      const bool runs = bidders_[i].job->gpus_now > 0;
      const std::uint32_t to = bids[i][awards[i].bid].pool;
      if (to == bidders_[i].home || (runs && awards[i].gpus == 0)) continue;
      changes.push_back({bidders_[i].job->id, pools_[to].number});
    }
  }

 private:
  static bool stays(const AllocationJob& job, const AllocationProblem& problem) {
    if (job.gpus_now == 0) return false;
    const JobState& state = *job.state;
    return job.profile == nullptr || problem.view.now <= state.work_begins ||
           problem.view.models.is_guess(*state.job.kind_id, problem.type);
  }

  /// A job whose kind is known on some of its types runs on those only.
  std::vector<PoolRun> runs_of(const AllocationJob& job, std::uint32_t home) {
    const bool stays_home = stays(job, *pools_[home].problem);
    std::vector<PoolRun> runs;
    for (std::uint32_t pool = 0; pool < pools_.size(); ++pool)
      if (pool == home || !stays_home)
        if (auto run = run_in(job, pool)) runs.push_back(*run);
    for (PoolRun& run : runs) run.is_home = run.pool == home;
    if (std::ranges::any_of(runs, &PoolRun::is_known))
      std::erase_if(runs, [](const PoolRun& run) { return !run.is_known; });
    return runs;
  }

  /// Nothing where the job may not run, or needs more GPUs than there are.
  std::optional<PoolRun> run_in(const AllocationJob& job, std::uint32_t pool) {
    const AllocationProblem& problem = *pools_[pool].problem;
    const Job& asked = job.state->job;
    if ((asked.gpu_types >> problem.type.index & 1) == 0) return std::nullopt;
    AllocationJob there{.id = job.id, .state = job.state};
    there.profile = problem.view.models.find(asked, problem.type);
    if (there.profile == nullptr && job.profile != nullptr) return std::nullopt;
    const Curve& curve = pools_[pool].curves->of(there, problem);
    if (curve.way(0).gpus > problem.packing.pool().total()) return std::nullopt;
    return PoolRun{.pool = pool,
                   .curve = &curve,
                   .traits = traits_of_known(curve),
                   .is_known = there.profile != nullptr};
  }

  const CurveTraits& traits_of_known(const Curve& curve) {
    const auto [at, is_new] = traits_.try_emplace(&curve);
    if (is_new) at->second = traits_of(curve);
    return at->second;
  }

  void measure(TypeBidder& bidder) const {
    bidder.size = std::numeric_limits<double>::infinity();
    const Duration start = bidder.job->gpus_now == 0 ? bidder.job->restart : Duration::zero();
    const auto size_of = [&](const PoolRun& run) {
      return seconds(bidder.job->left / run.curve->way(run.traits.reference).speed + start);
    };
    for (const PoolRun& run : bidder.runs)
      if (size_of(run) < bidder.size) {
        bidder.size = size_of(run);
        bidder.elasticity = run.traits.elasticity;
      }
    const double elasticity = bidder.elasticity;
    double gpus = 0;  // as many of a type of which one would do the job in a second
    for (const PoolRun& run : bidder.runs) {
      const double least = run.curve->way(run.traits.reference).gpus;
      const double all = std::max(1.0, pools_[run.pool].problem->gpus / least);
      gpus += all * std::pow(size_of(run), -1 / elasticity);
    }
    bidder.on_all = std::pow(gpus, -elasticity);
  }

  void value_work() {
    std::vector<std::uint32_t> order(bidders_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, std::ranges::greater{},
                      [&](std::uint32_t i) { return std::pair(bidders_[i].size, i); });
    for (std::size_t at = 0; at < order.size(); ++at) {
      TypeBidder& bidder = bidders_[order[at]];
      const double rank = static_cast<double>(at) + 1 + kJobsBehind;
      const double delay = bidder.on_all * delay_weight(rank, bidder.elasticity);
      bidder.value = value_of(bidder, delay);
    }
  }

  /// The ways at a level that may be the best: where energy has no price, the fastest.
  std::span<const Way> ways_at(const PoolRun& run, const Curve::Level& level) const {
    const auto all = run.curve->ways().subspan(level.first, level.count);
    return pools_[run.pool].price > 0 ? all : all.last(1);
  }

  /// Until the job has ended.
  static double time_of(const TypeBidder& bidder, const PoolRun& run, const Way& way) {
    const bool goes_on = run.is_home && way.gpus == bidder.job->gpus_now;
    const double restart = goes_on ? 0 : seconds(bidder.job->restart);
    return std::max(bidder.job->left.value() / (way.speed.value() * 1e3) + restart, 1e-3);
  }

  double value_of(const TypeBidder& bidder, double delay) const {
    double alone = std::numeric_limits<double>::infinity();
    double thriftiest = alone;
    for (const PoolRun& run : bidder.runs)
      for (const Curve::Level& level : run.curve->levels())
        for (const Way& way : ways_at(run, level)) {
          const double time = time_of(bidder, run, way);
          const double paid = pools_[run.pool].price * (way.draw + way.nodes).value() * time;
          alone = std::min(alone, time + paid);
          thriftiest = std::min(thriftiest, paid);
        }
    return std::max(alone, delay + thriftiest);
  }

  GpuBidder bids_of(const TypeBidder& bidder) const {
    GpuBidder bids;
    for (const PoolRun& run : bidder.runs) {
      PoolChoices& pool = bids.emplace_back(PoolChoices{run.pool, {GpuChoice{}}});
      for (const Curve::Level& level : run.curve->levels())
        pool.choices.push_back({level.gpus, value_at(bidder, run, level)});
    }
    return bids;
  }

  double value_at(const TypeBidder& bidder, const PoolRun& run, const Curve::Level& level) const {
    const bool moves = bidder.job->gpus_now > 0 && !run.is_home;
    const double more = moves ? seconds(bidder.job->restart) * (kMoveCosts - 1) : 0;
    double most = -std::numeric_limits<double>::infinity();
    for (const Way& way : ways_at(run, level)) {
      const double time = time_of(bidder, run, way) + more;
      const double paid = pools_[run.pool].price * (way.draw + way.nodes).value();
      most = std::max(most, bidder.value / time - paid);
    }
    return moves ? most / (1 + kLeastGain) : most;
  }

  std::vector<PoolOfSite> pools_;
  std::vector<TypeBidder> bidders_;             ///< by the jobs' numbers
  std::map<const Curve*, CurveTraits> traits_;  ///< never gone through: addresses have no order
};

}  // namespace

std::size_t TypeChooser::add_pool(PoolCurves& curves) {
  pools_.push_back({&curves});
  return pools_.size() - 1;
}

std::vector<PoolChange> TypeChooser::choose(std::span<const AllocationProblem> problems) {
  std::map<SiteId, std::vector<SiteTypes::PoolOfSite>> sites;
  for (std::uint32_t pool = 0; pool < problems.size(); ++pool) {
    const AllocationProblem& problem = problems[pool];
    pools_[pool].curves->renew(problem);
    const double least = price_ * problem.view.outlook.pue(problem.site).value();
    sites[problem.site].push_back(
        {pool, &problem, pools_[pool].curves, std::max(least, pools_[pool].price)});
  }
  std::vector<PoolChange> changes;
  for (auto& [site, pools] : sites)
    if (pools.size() > 1) SiteTypes(std::move(pools)).choose(changes);
  return changes;
}

}  // namespace penstock
