#include "learn/mars/guides.h"

#include <fmt/format.h>

namespace penstock {
namespace {

void play_strategy(const Strategy& strategy, QueueWorld& world) {
  const Time now = world.now();
  follow(world, strategy);
  while (world.needs_choice() && world.now() == now) world.choose(world.first());
}

void play_network(Apprentice& apprentice, QueueWorld& world) {
  const Time now = world.now();
  apprentice.begin(world);
  while (world.needs_choice() && world.now() == now) {
    world.choose(apprentice.act(world));
    for (const std::uint32_t task : world.started())
      if (world.fate(task).start == now)
        apprentice.started(world.tasks()[task].id, world.tasks()[task].cost);
  }
}

class NetworkGuide final : public Guide {
 public:
  explicit NetworkGuide(Apprentice apprentice) : apprentice_(std::move(apprentice)) {}
  Played play(QueueWorld& world, const Futures& /*futures*/, std::uint32_t /*pool*/) override {
    play_network(apprentice_, world);
    return {.by = apprentice_.name(), .is_network = true};
  }
  void hear(const Feedback& feedback) override { apprentice_.hear(feedback); }

 private:
  Apprentice apprentice_;
};

/// Every order, without and with EASY.
std::vector<const Strategy*> plain_strategies() {
  std::vector<const Strategy*> plain;
  for (const Strategy& strategy : all_strategies())
    if (strategy.keep == Keep{}) plain.push_back(&strategy);
  return plain;
}

class SelectingGuide final : public Guide {
 public:
  SelectingGuide(std::vector<const Strategy*> strategies, std::vector<Apprentice> apprentices,
                 const SelectorRules& rules)
      : apprentices_(std::move(apprentices)),
        selector_(std::move(strategies), apprentices_, rules),
        reward_(rules.reward),
        guard_(rules.guard) {}
  Played play(QueueWorld& world, const Futures& futures, std::uint32_t pool) override {
    const Time now = world.now();
    if (!world.needs_choice()) return {};
    Retrospect& past = past_of(pool);
    past.saw(world);
    Played played = past.better() == nullptr ? play_pick(world, futures, pool)
                                             : keep_to(*past.better(), past.share(), world);
    for (std::uint32_t i = 0; i < world.tasks().size(); ++i)
      if (world.has_started(i) && world.fate(i).start == now)
        past.started(world.tasks()[i].id, now, world.fate(i).gpus);
    return played;
  }
  void hear(const Feedback& feedback) override {
    for (Apprentice& apprentice : apprentices_) apprentice.hear(feedback);
    for (Retrospect& past : pasts_) past.ended(feedback.job, feedback.run);
  }

 private:
  Played play_pick(QueueWorld& world, const Futures& futures, std::uint32_t pool) {
    Selector::Pick pick = selector_.pick(world, futures, pool);
    if (pick.apprentice != nullptr) {
      play_network(*pick.apprentice, world);
      return {pick.apprentice->name(), true, std::move(pick.reason)};
    }
    play_strategy(*pick.strategy, world);
    return {pick.strategy->name, false, std::move(pick.reason)};
  }

  static Played keep_to(const Strategy& better, double share, QueueWorld& world) {
    play_strategy(better, world);
    return {better.name, false,
            fmt::format("guard: keeps to {}, which would have come to {:.3g} of what was done",
                        better.name, share)};
  }

  Retrospect& past_of(std::uint32_t pool) {
    while (pasts_.size() <= pool) pasts_.emplace_back(plain_strategies(), reward_, guard_);
    return pasts_[pool];
  }

  std::vector<Apprentice> apprentices_;
  Selector selector_;
  Reward reward_;
  RetrospectRules guard_;
  std::vector<Retrospect> pasts_;  ///< by pool
};

}  // namespace

std::unique_ptr<Guide> make_network_guide(Apprentice apprentice) {
  return std::make_unique<NetworkGuide>(std::move(apprentice));
}

std::unique_ptr<Guide> make_selecting_guide(std::vector<const Strategy*> strategies,
                                            std::vector<Apprentice> apprentices,
                                            const SelectorRules& rules) {
  return std::make_unique<SelectingGuide>(std::move(strategies), std::move(apprentices), rules);
}

}  // namespace penstock
