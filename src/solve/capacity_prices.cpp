#include <algorithm>
#include <cmath>

#include "solve/job_classes.h"
#include "solve/linear_program.h"

namespace penstock {
namespace {

/// Shares of classes go to windows and pools; costs are relative to a usual one.
class ShareProgram {
 public:
  ShareProgram(const PricedWork& priced, std::size_t last)
      : priced_(priced),
        last_(last),
        filled_(last + 1,
                std::vector<std::vector<LinearProgram::Term>>(priced.machines.pools.size())) {
    for (const auto& rates : priced.windows.rates) least_rates_.push_back(std::ranges::min(rates));
  }

  CapacityPrices prices(const std::vector<JobClass>& classes) {
    set_scale(classes);
    for (const JobClass& members : classes) add(members);
    CapacityPrices prices(last_ + 1, std::vector<double>(priced_.machines.pools.size(), 0.0));
    std::vector<std::pair<std::size_t, std::size_t>> rows;
    for (std::size_t w = 0; w <= last_ && std::isfinite(priced_.windows.end(w)); ++w)
      for (std::size_t p = 0; p < filled_[w].size(); ++p) {
        if (filled_[w][p].empty()) continue;
        program_.add_row(filled_[w][p], -kNoLimit, capacity(w, p));
        rows.emplace_back(w, p);
      }
    const auto answer = solve_relaxed(program_);
    if (!answer) return prices;
    for (std::size_t i = 0; i < rows.size(); ++i)
      prices[rows[i].first][rows[i].second] =
          std::max(0.0, -answer->duals[classes.size() + i]) / scale_;
    return prices;
  }

 private:
  double capacity(std::size_t w, std::size_t pool) const {
    return priced_.machines.pools[pool].gpus * (priced_.windows.end(w) - priced_.windows.begin[w]);
  }

  /// Energy and files, where a joule comes to `rate`.
  double bare_cost(const JobClass& members, double rate, const GpuPool& pool) const {
    double cost = cost_on(pool, members.uses[pool.type], rate, priced_.counted);
    if (members.gigabytes > 0 && members.home != kNoSite)
      cost += members.gigabytes * priced_.sending.cost(members.home, pool.site);
    return cost;
  }

  double cost(const JobClass& members, std::size_t w, const GpuPool& pool) const {
    double cost = bare_cost(members, priced_.windows.rates[pool.site][w], pool);
    if (members.late > 0 && priced_.windows.begin[w] >= members.deadline) cost += members.late;
    if (members.weight > 0) {
      const double late = priced_.windows.begin[w] - members.weighted_deadline / members.weight;
      cost += members.weight * std::max(0.0, late);
    }
    return cost;
  }

  double most_in(const JobClass& members, std::size_t w) const {
    const double time = priced_.windows.end(w) - priced_.windows.begin[w];
    return time >= members.fastest ? 1 : time / members.fastest;
  }

  /// At the best time there is.
  double at_best(const JobClass& members) const {
    double least = kNoLimit;
    for (const GpuPool& pool : priced_.machines.pools)
      if (members.uses[pool.type].possible)
        least = std::min(least, bare_cost(members, least_rates_[pool.site], pool));
    return least;
  }

  void set_scale(const std::vector<JobClass>& classes) {
    double largest = 0;
    for (const JobClass& members : classes)
      for (const GpuPool& pool : priced_.machines.pools)
        for (const std::size_t w : {members.first, std::max(last_, members.first)}) {
          if (!members.uses[pool.type].possible) continue;
          const double all = cost(members, w, pool);
          if (all < kNoLimit) largest = std::max(largest, std::abs(all));
        }
    scale_ = largest > 0 ? 1e4 / largest : 1;
    too_late_ = 10 * largest;
  }

  /// All of a class is done somewhere; too late at worst, at a cost that is for the program alone
  /// unless that is what counts.
  void add(const JobClass& members) {
    std::vector<LinearProgram::Term> shares;
    for (std::size_t w = members.first; w <= std::min(last_, members.last); ++w)
      for (std::size_t p = 0; p < priced_.machines.pools.size(); ++p) {
        const GpuPool& pool = priced_.machines.pools[p];
        const Use& use = members.uses[pool.type];
        if (!use.possible) continue;
        const double all = cost(members, w, pool);
        if (all == kNoLimit) continue;
        const int column = program_.add({.cost = all * scale_, .upper = most_in(members, w)});
        shares.push_back({column, 1});
        filled_[w][p].push_back({column, use.gpu_seconds});
      }
    const bool punctual = members.last + 1 < priced_.windows.size();
    const double otherwise = punctual ? members.late + at_best(members) : too_late_;
    shares.push_back({program_.add({.cost = otherwise * scale_, .upper = 1}), 1});
    program_.add_row(shares, 1, 1);
  }

  const PricedWork& priced_;
  std::size_t last_;
  std::vector<double> least_rates_;  ///< by site
  double scale_ = 1;
  double too_late_ = 0;
  LinearProgram program_;
  std::vector<std::vector<std::vector<LinearProgram::Term>>> filled_;  ///< by window and pool
};

}  // namespace

CapacityPrices capacity_prices(const PricedWork& priced, std::size_t last,
                               std::size_t most_columns) {
  return ShareProgram(priced, last).prices(job_classes(priced, most_columns));
}

}  // namespace penstock
