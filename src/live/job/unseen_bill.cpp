#include "live/job/unseen_bill.h"

#include <algorithm>

#include "model/tariff.h"

namespace penstock {
namespace {

constexpr Duration kHalfSecond{500};  // Slurm tells whole seconds: on average it was so much later
constexpr double kBelievable = 2;     // times the usual draw

/// Of one watt by each GPU.
void add(PerWatt& sum, double gpus, const PerWatt& span) {
  sum.joules += gpus * span.joules;
  sum.money += gpus * span.money;
  sum.grams += gpus * span.grams;
}

struct Spans {
  PerWatt unseen{};  ///< may be less than nothing
  PerWatt seen{};
};

Spans spans_of(std::span<const LiveRun> runs, Tariff& tariff) {
  Spans spans;
  const auto between = [&](Time from, Time until) {
    return tariff.between(tariff.read(from), tariff.read(until));
  };
  for (const LiveRun& run : runs) {
    const Time began = run.started + kHalfSecond;
    const Time ended = std::max(run.started, run.ended.value_or(run.started)) + kHalfSecond;
    if (!run.watched) {
      add(spans.unseen, run.gpus, between(began, ended));
      continue;
    }
    const LiveRun::Watched& watched = *run.watched;
    const Time from = watched.found ? watched.from : std::max(watched.from, began);
    const Time until = std::max(from, watched.until.value_or(ended));
    add(spans.seen, run.gpus, between(from, until));
    if (watched.found) add(spans.unseen, run.gpus, between(began, from));
    if (watched.until && !watched.metered) add(spans.unseen, run.gpus, between(until, ended));
  }
  return spans;
}

}  // namespace

Bill unseen_bill(std::span<const LiveRun> runs, const Bill& billed, const SiteSignals& signals,
                 Watts usual_draw) {
  if (runs.empty()) return {};
  Tariff tariff(signals, runs.front().started);
  const Spans spans = spans_of(runs, tariff);
  Watts draw = usual_draw;
  if (spans.seen.joules > 0) draw = Watts(billed.energy.value() / spans.seen.joules);
  if (usual_draw > Watts{}) draw = std::min(draw, usual_draw * kBelievable);
  Bill bill = draw * spans.unseen;
  if (spans.seen.joules > 0) bill.rent = billed.rent * (spans.unseen.joules / spans.seen.joules);
  if (bill.energy < Joules(-billed.energy.value())) return billed * -1;
  return bill;
}

}  // namespace penstock
