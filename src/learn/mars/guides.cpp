#include "learn/mars/guides.h"

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
  std::string play(QueueWorld& world, const Futures& /*futures*/,
                   std::uint32_t /*pool*/) override {
    play_network(apprentice_, world);
    return {};
  }
  void hear(const Feedback& feedback) override { apprentice_.hear(feedback); }

 private:
  Apprentice apprentice_;
};

class SelectingGuide final : public Guide {
 public:
  SelectingGuide(std::vector<const Strategy*> strategies, std::vector<Apprentice> apprentices,
                 const SelectorRules& rules)
      : apprentices_(std::move(apprentices)),
        selector_(std::move(strategies), apprentices_, rules) {}
  std::string play(QueueWorld& world, const Futures& futures, std::uint32_t pool) override {
    if (!world.needs_choice()) return {};
    const Selector::Pick pick = selector_.pick(world, futures, pool);
    if (pick.apprentice != nullptr)
      play_network(*pick.apprentice, world);
    else
      play_strategy(*pick.strategy, world);
    return pick.reason;
  }
  void hear(const Feedback& feedback) override {
    for (Apprentice& apprentice : apprentices_) apprentice.hear(feedback);
  }

 private:
  std::vector<Apprentice> apprentices_;
  Selector selector_;
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
