#include "policies/elastic/gpu_auction.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace penstock {
namespace {

/// A job that changes its pool overbids the price by such a part of what a GPU is worth on average:
/// without it two pools would take turns for ever. So much may a plan miss by.
constexpr double kOverbid = 1.0 / 500;

class Auction {
 public:
  Auction(std::span<const GpuBidder> bidders, std::span<const std::uint32_t> gpus)
      : bidders_(bidders), gpus_(gpus), prices_(gpus.size()), asked_(gpus.size()) {
    queues_.resize(gpus.size());
    has_rest_.resize(bidders.size());
    bids_.resize(bidders.size());
    double sum = 0;
    for (std::uint32_t job = 0; job < bidders.size(); ++job) sum += enter(job);
    std::uint64_t all = 0;
    for (const std::uint32_t in_pool : gpus) all += in_pool;
    overbid_ = kOverbid * sum / static_cast<double>(std::max<std::uint64_t>(all, 1));
  }

  std::vector<GpuAward> awards() {
    while (const auto pool = most_wanted()) raise(*pool);
    while (give_rest()) {
    }
    std::vector<GpuAward> awards;
    awards.reserve(bids_.size());
    for (std::uint32_t job = 0; job < bids_.size(); ++job)
      awards.push_back(gpus_of(job) > 0 ? GpuAward{bids_[job].pool, gpus_of(job)}
                                        : GpuAward{closest(job), 0});
    return awards;
  }

 private:
  /// What a job asks for at present.
  struct Bid {
    std::uint32_t pool = 0;     ///< its place among the job's pools
    std::uint32_t point = 0;    ///< on the hull there; 0: no GPUs
    std::uint32_t version = 0;  ///< counts its changes
  };
  /// The price at which a job changes its bid.
  struct Limit {
    double price = 0;
    std::uint32_t job = 0;
    std::uint32_t version = 0;
    bool operator<(const Limit& other) const {  // priority_queue keeps the largest on top
      return std::tuple(other.price, job) < std::tuple(price, other.job);
    }
  };

  std::span<const GpuChoice> hull_of(std::uint32_t job, std::uint32_t pool) const {
    const std::size_t hull = first_hull_[job] + pool;
    return std::span(points_).subspan(first_point_[hull],
                                      first_point_[hull + 1] - first_point_[hull]);
  }
  const GpuChoice& now(std::uint32_t job) const {
    return hull_of(job, bids_[job].pool)[bids_[job].point];
  }
  std::uint32_t gpus_of(std::uint32_t job) const {
    return bids_[job].point == 0 ? 0 : now(job).gpus;
  }
  std::uint32_t pool_of(std::uint32_t job) const { return bidders_[job][bids_[job].pool].pool; }

  /// What choices are worth beyond the price.
  double net(const GpuChoice& choice, std::uint32_t pool) const {
    return choice.value - prices_[pool] * choice.gpus;
  }
  std::uint32_t best_point(std::uint32_t job, std::uint32_t pool) const {
    const std::uint32_t in = bidders_[job][pool].pool;
    const auto hull = hull_of(job, pool);
    std::uint32_t best = 0;
    while (best + 1 < hull.size() && net(hull[best + 1], in) > net(hull[best], in)) ++best;
    return best;
  }

  struct Offer {
    double net = 0;
    std::uint32_t pool = 0;
    std::uint32_t point = 0;
  };
  /// In another pool than the one that it bids for.
  std::optional<Offer> best_elsewhere(std::uint32_t job) const {
    std::optional<Offer> best;
    for (std::uint32_t pool = 0; pool < bidders_[job].size(); ++pool) {
      if (pool == bids_[job].pool) continue;
      const std::uint32_t point = best_point(job, pool);
      if (point == 0) continue;
      const double here = net(hull_of(job, pool)[point], bidders_[job][pool].pool);
      if (!best || here > best->net) best = {here, pool, point};
    }
    return best;
  }

  /// Bids for what is worth most without any price; returns that.
  double enter(std::uint32_t job) {
    first_hull_.push_back(first_point_.size() - 1);
    for (const PoolChoices& pool : bidders_[job]) {
      for (const std::uint32_t point : concave_hull(pool.choices))
        points_.push_back(pool.choices[point]);
      first_point_.push_back(points_.size());
    }
    Bid& bid = bids_[job];
    double most = 0;
    for (std::uint32_t pool = 0; pool < bidders_[job].size(); ++pool) {
      const auto hull = hull_of(job, pool);
      if (hull.back().value <= most) continue;
      most = hull.back().value;
      bid = {pool, static_cast<std::uint32_t>(hull.size() - 1)};
    }
    if (bid.point == 0) return 0;
    asked_[pool_of(job)] += gpus_of(job);
    queue(job);
    return most;
  }

  double step_price(std::uint32_t job) const {
    const GpuChoice& from = now(job);
    const GpuChoice& to = hull_of(job, bids_[job].pool)[bids_[job].point - 1];
    return (from.value - to.value) / (from.gpus - to.gpus);
  }
  /// At which another pool is as good.
  double leave_price(std::uint32_t job, const std::optional<Offer>& other) const {
    if (!other) return std::numeric_limits<double>::infinity();
    return (now(job).value - other->net) / now(job).gpus;
  }
  double limit_of(std::uint32_t job, const std::optional<Offer>& other) const {
    return std::min(step_price(job), leave_price(job, other));
  }

  void queue(std::uint32_t job) {
    queues_[pool_of(job)].push({limit_of(job, best_elsewhere(job)), job, bids_[job].version});
  }

  /// The pool of which most is asked, for its size, of those with too few GPUs.
  std::optional<std::uint32_t> most_wanted() const {
    std::optional<std::uint32_t> most;
    const auto wanted = [&](std::uint32_t pool) {
      return static_cast<double>(asked_[pool]) / std::max(gpus_[pool], 1u);
    };
    for (std::uint32_t pool = 0; pool < gpus_.size(); ++pool)
      if (asked_[pool] > gpus_[pool] && (!most || wanted(pool) > wanted(*most))) most = pool;
    return most;
  }

  /// Until one job asks for less, or elsewhere. Limits only rise, since prices do.
  void raise(std::uint32_t pool) {
    auto& queue_here = queues_[pool];
    const Limit next = queue_here.top();
    queue_here.pop();
    if (next.version != bids_[next.job].version) return;
    const std::optional<Offer> other = best_elsewhere(next.job);
    const double limit = limit_of(next.job, other);
    if (limit > next.price) return queue_here.push({limit, next.job, next.version});
    prices_[pool] = std::max(prices_[pool], next.price);
    const Bid& bid = bids_[next.job];
    if (step_price(next.job) <= leave_price(next.job, other))
      return change(next.job, bid.pool, bid.point - 1);
    prices_[pool] = std::max(prices_[pool], next.price + overbid_);
    change(next.job, other->pool, other->point);
  }

  void change(std::uint32_t job, std::uint32_t pool, std::uint32_t point) {
    asked_[pool_of(job)] -= gpus_of(job);
    bids_[job] = {pool, point, bids_[job].version + 1};
    if (point == 0) return;
    asked_[pool_of(job)] += gpus_of(job);
    queue(job);
  }

  std::uint32_t left(std::uint32_t pool) const {
    return gpus_[pool] - static_cast<std::uint32_t>(asked_[pool]);
  }

  /// GPUs left over cost nothing, those that a job leaves are worth their price. Each job gets some
  /// once, so that two do not make room for each other for ever.
  bool give_rest() {
    Offer best;
    std::uint32_t to = 0;
    for (std::uint32_t job = 0; job < bids_.size(); ++job)
      for (std::uint32_t pool = 0; !has_rest_[job] && pool < bidders_[job].size(); ++pool) {
        const Offer offer = rest_for(job, pool);
        if (offer.net <= best.net) continue;
        best = offer;
        to = job;
      }
    if (best.net <= 0) return false;
    has_rest_[to] = true;
    change(to, best.pool, best.point);
    return true;
  }

  Offer rest_for(std::uint32_t job, std::uint32_t pool) const {
    const bool is_here = bids_[job].pool == pool && bids_[job].point > 0;
    const std::uint32_t in = bidders_[job][pool].pool;
    const std::uint32_t room = left(in) + (is_here ? gpus_of(job) : 0);
    double had = 0;
    if (bids_[job].point > 0) had = is_here ? now(job).value : net(now(job), pool_of(job));
    Offer best{.pool = pool};
    const auto hull = hull_of(job, pool);
    for (std::uint32_t point = 1; point < hull.size(); ++point) {
      const GpuChoice& choice = hull[point];
      if (choice.gpus > room || choice.value - had <= best.net) continue;
      best.net = choice.value - had;
      best.point = point;
    }
    return best;
  }

  /// The pool whose price is the least multiple of what the job could pay.
  std::uint32_t closest(std::uint32_t job) const {
    std::uint32_t best = 0;
    double most = -1;
    for (std::uint32_t pool = 0; pool < bidders_[job].size(); ++pool) {
      const auto hull = hull_of(job, pool);
      if (hull.size() < 2) continue;
      const GpuChoice& least = hull[1];
      const double pays = least.value / least.gpus;
      const double price = std::max(prices_[bidders_[job][pool].pool], overbid_);
      if (pays / price <= most) continue;
      most = pays / price;
      best = pool;
    }
    return best;
  }

  std::span<const GpuBidder> bidders_;
  std::span<const std::uint32_t> gpus_;
  std::vector<double> prices_;  ///< of a GPU of each pool
  std::vector<std::uint64_t> asked_;
  std::vector<std::priority_queue<Limit>> queues_;  ///< of each pool; with limits of the past
  std::vector<std::size_t> first_hull_;             ///< of each job: one for each of its pools
  std::vector<GpuChoice> points_;                   ///< of all hulls
  std::vector<std::size_t> first_point_{0};         ///< of each hull, and the end of the last
  std::vector<Bid> bids_;                           ///< of each job
  std::vector<bool> has_rest_;                      ///< of what was left over; of each job
  double overbid_ = 0;
};

/// With at most so many jobs single ones are tried elsewhere. Prices, which are for shares of steps
/// too, miss then by more, and there is time for all pairs.
constexpr std::size_t kMostTraders = 24;

/// Lets single jobs change their pool, and two of them their places, where all are worth more.
class Trade {
 public:
  Trade(std::span<const GpuBidder> bidders, std::span<const std::uint32_t> gpus,
        std::vector<GpuAward>& awards)
      : bidders_(bidders), gpus_(gpus), awards_(awards), steps_(gpus.size()), worth_(gpus.size()) {
    for (std::uint32_t job = 0; job < bidders.size(); ++job)
      for (std::uint32_t bid = 0; bid < bidders[job].size(); ++bid) note_steps(job, bid);
    for (auto& steps : steps_) std::ranges::stable_sort(steps, std::ranges::greater{}, &Step::gain);
    for (std::uint32_t pool = 0; pool < gpus.size(); ++pool) worth_[pool] = fill(pool);
  }

  /// A few passes: nearly always nobody trades in the second.
  void run() {
    bool any = true;
    for (int pass = 0; any && pass < kMostPasses; ++pass) {
      any = false;
      for (std::uint32_t job = 0; job < awards_.size(); ++job) any |= improve(job);
    }
    for (std::uint32_t pool = 0; pool < gpus_.size(); ++pool) fill(pool);
  }

 private:
  static constexpr int kMostPasses = 4;
  static constexpr double kLeastGain = 1e-6;

  /// On the hull of a job in a pool.
  struct Step {
    double gain = 0;  ///< for each GPU
    std::uint32_t job = 0;
    std::uint32_t from = 0;  ///< GPUs
    std::uint32_t to = 0;
  };

  void note_steps(std::uint32_t job, std::uint32_t bid) {
    const GpuChoices& choices = bidders_[job][bid].choices;
    const std::vector<std::uint32_t> hull = concave_hull(choices);
    for (std::size_t i = 1; i < hull.size(); ++i) {
      const GpuChoice& from = choices[hull[i - 1]];
      const GpuChoice& to = choices[hull[i]];
      const double gain = (to.value - from.value) / (to.gpus - from.gpus);
      steps_[bidders_[job][bid].pool].push_back({gain, job, from.gpus, to.gpus});
    }
  }

  std::uint32_t pool_of(std::uint32_t job) const { return bidders_[job][awards_[job].bid].pool; }

  /// Gives the GPUs of a pool to the jobs in it, the step with the largest gain for a GPU first.
  /// What they are worth together.
  double fill(std::uint32_t pool) {
    for (std::uint32_t job = 0; job < awards_.size(); ++job)
      if (pool_of(job) == pool) awards_[job].gpus = 0;
    std::uint32_t free = gpus_[pool];
    double worth = 0;
    for (const Step& step : steps_[pool]) {
      const std::uint32_t more = step.to - step.from;
      if (pool_of(step.job) != pool || awards_[step.job].gpus != step.from || more > free) continue;
      awards_[step.job].gpus = step.to;
      free -= more;
      worth += step.gain * more;
    }
    return worth;
  }

  bool improve(std::uint32_t job) {
    bool any = false;
    for (std::uint32_t bid = 0; bid < bidders_[job].size(); ++bid) any |= try_bids({{job, bid}});
    for (std::uint32_t other = 0; other < job; ++other) {
      const auto there = bid_in(job, pool_of(other));
      const auto here = bid_in(other, pool_of(job));
      if (there && here) any |= try_bids({{job, *there}, {other, *here}});
    }
    return any;
  }

  std::optional<std::uint32_t> bid_in(std::uint32_t job, std::uint32_t pool) const {
    const auto found = std::ranges::find(bidders_[job], pool, &PoolChoices::pool);
    if (found == bidders_[job].end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - bidders_[job].begin());
  }

  /// The bids of one job, or of two that change places.
  bool try_bids(std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> bids) {
    const auto [job, bid] = *bids.begin();
    const std::uint32_t one = pool_of(job);
    const std::uint32_t other = bidders_[job][bid].pool;
    if (one == other) return false;
    const std::vector<GpuAward> before = awards_;
    for (const auto& [mover, to] : bids) awards_[mover].bid = to;
    const std::pair worth{fill(one), fill(other)};
    const double had = worth_[one] + worth_[other];
    if (worth.first + worth.second <= had * (1 + kLeastGain)) {
      awards_ = before;
      return false;
    }
    std::tie(worth_[one], worth_[other]) = worth;
    return true;
  }

  std::span<const GpuBidder> bidders_;
  std::span<const std::uint32_t> gpus_;
  std::vector<GpuAward>& awards_;
  std::vector<std::vector<Step>> steps_;  ///< of each pool, the largest gain first
  std::vector<double> worth_;             ///< of what the jobs in each pool have
};

}  // namespace

std::vector<GpuAward> auction_gpus(std::span<const GpuBidder> bidders,
                                   std::span<const std::uint32_t> gpus) {
  std::vector<GpuAward> awards = Auction(bidders, gpus).awards();
  if (bidders.size() <= kMostTraders) Trade(bidders, gpus, awards).run();
  return awards;
}

}  // namespace penstock
