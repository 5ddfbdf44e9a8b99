#include "learn/mars/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace penstock {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

}  // namespace

Selector::Selector(std::vector<const Strategy*> strategies, std::vector<Apprentice>& apprentices,
                   const SelectorRules& rules)
    : strategies_(std::move(strategies)),
      apprentices_(apprentices),
      rules_(rules),
      race_(rules.reward),
      scratch_(0, {}) {}

std::string Selector::name_of(std::size_t candidate) const {
  if (candidate < strategies_.size()) return std::string(strategies_[candidate]->name);
  return "net:" + apprentices_[candidate - strategies_.size()].name();
}

Selector::Pick Selector::pick_of(std::size_t candidate) const {
  if (candidate < strategies_.size()) return {.strategy = strategies_[candidate]};
  return {.apprentice = &apprentices_[candidate - strategies_.size()]};
}

Selector::Pick Selector::pick(const QueueWorld& here, const Futures& futures, std::uint32_t pool) {
  if (incumbents_.size() <= pool) incumbents_.resize(pool + 1);
  Incumbent& incumbent = incumbents_[pool];
  const bool is_early = incumbent.since && here.now() - *incumbent.since < rules_.epoch;
  if (here.ready().size() < 2 || is_early) return pick_of(incumbent.candidate);
  incumbent.since = here.now();
  predict_all(futures(), incumbent.candidate);
  const auto least = std::ranges::min_element(predicted_);
  const auto best = static_cast<std::size_t>(least - predicted_.begin());
  const bool takes_over = *least < (1 - rules_.hysteresis) * predicted_[incumbent.candidate];
  if (takes_over) incumbent.candidate = best;
  Pick pick = pick_of(incumbent.candidate);
  pick.reason = reason_for(incumbent.candidate, best);
  return pick;
}

void Selector::predict_all(std::span<const QueueWorld> worlds, std::size_t incumbent) {
  predicted_.assign(candidates(), kEndless);
  const std::span<const Score> scores = race_.run(worlds, strategies_, incumbent);
  double best = kEndless;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i].finished) continue;
    predicted_[i] = scores[i].cost;
    best = std::min(best, predicted_[i]);
  }
  if (worlds.front().ready().size() >= rules_.fewest) predict_networks(worlds, best);
}

void Selector::predict_networks(std::span<const QueueWorld> worlds, double best) {
  for (std::size_t i = 0; i < apprentices_.size(); ++i)
    if (apprentices_[i].is_due())
      predicted_[strategies_.size() + i] = predict(apprentices_[i], worlds, best);
}

double Selector::predict(Apprentice& apprentice, std::span<const QueueWorld> worlds, double best) {
  double cost = 0;
  double sure = 0;
  std::uint32_t choices = 0;
  for (const QueueWorld& world : worlds) {
    scratch_ = world;
    apprentice.begin(world);
    cost += judged(run_to_end(scratch_,
                              [&](const QueueWorld& at) {
                                const std::uint32_t task = apprentice.choose(at);
                                sure += apprentice.confidence();
                                ++choices;
                                return task;
                              }),
                   rules_.reward);
  }
  apprentice.compare(cost, best);
  const bool is_sure = choices > 0 && sure >= rules_.confidence * choices;
  return is_sure && !apprentice.is_benched() ? cost : kEndless;
}

/// Why there is no prediction.
std::string_view Selector::absence_of(std::size_t candidate) const {
  if (candidate < strategies_.size()) return "dropped";
  return apprentices_[candidate - strategies_.size()].is_benched() ? "benched" : "-";
}

/// All of them, the chosen one first.
std::string Selector::reason_for(std::size_t chosen, std::size_t best) const {
  std::string text = fmt::format("{} {:.4g}", name_of(chosen), predicted_[chosen]);
  if (chosen != best) text += " (stays: less than the hysteresis behind the best)";
  text += " |";
  for (std::size_t i = 0; i < predicted_.size(); ++i) {
    if (i == chosen) continue;
    if (predicted_[i] < kEndless)
      text += fmt::format(" {} {:.4g}", name_of(i), predicted_[i]);
    else
      text += fmt::format(" {} {}", name_of(i), absence_of(i));
  }
  return text;
}

}  // namespace penstock
