#pragma once

#include <memory>

#include "learn/mars/selector.h"

namespace penstock {

/// One network decides, always. With `learns` in the rules it goes on learning.
std::unique_ptr<Guide> make_network_guide(Apprentice apprentice);

/// At each epoch the cheapest of strategies and networks decides. At least one strategy.
std::unique_ptr<Guide> make_selecting_guide(std::vector<const Strategy*> strategies,
                                            std::vector<Apprentice> apprentices,
                                            const SelectorRules& rules);

}  // namespace penstock
