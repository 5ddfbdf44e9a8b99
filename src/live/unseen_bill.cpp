#include "live/unseen_bill.h"

#include <algorithm>

#include "model/tariff.h"

namespace penstock {

Bill bill_before(Time since, std::span<const LiveRun> runs, const Bill& billed,
                 const SiteSignals& signals) {
  if (runs.empty() || runs.front().started >= since) return {};
  Tariff tariff(signals, runs.front().started);
  // Of one watt by each GPU.
  PerWatt unseen;
  double seen_joules = 0;
  for (const LiveRun& run : runs) {
    const Time ended = std::max(run.started, run.ended.value_or(since));
    const PerWatt at_start = tariff.until(run.started);
    const PerWatt between = tariff.until(std::clamp(since, run.started, ended));
    const PerWatt before = between - at_start;
    unseen.joules += run.gpus * before.joules;
    unseen.money += run.gpus * before.money;
    unseen.grams += run.gpus * before.grams;
    seen_joules += run.gpus * (tariff.until(ended) - between).joules;
  }
  if (seen_joules <= 0) return {};
  Bill bill = Watts(billed.energy.value() / seen_joules) * unseen;
  bill.rent = billed.rent * (unseen.joules / seen_joules);
  return bill;
}

}  // namespace penstock
