#pragma once

#include <span>

#include "policies/elastic/curve.h"

namespace penstock {

/// Work that will be done along one curve.
struct Demand {
  const Curve* curve = nullptr;  ///< not empty
  Work work{};
};

/// The seconds that a joule must be worth so that all the work, each part of it done in its
/// cheapest way, needs no more than `energy`: 0 if there is enough for the fastest ways, and
/// infinity if there is too little for the thriftiest.
double energy_price(std::span<const Demand> demands, Joules energy);

}  // namespace penstock
