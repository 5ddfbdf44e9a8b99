#include "policies/elastic/energy_price.h"

#include <cmath>
#include <limits>

namespace penstock {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double need(std::span<const Demand> demands, double price) {
  double joules = 0;
  for (const Demand& demand : demands)
    joules += joules_per_work(demand.curve->cheapest(price)) * demand.work.value();
  return joules;
}

}  // namespace

double energy_price(std::span<const Demand> demands, Joules energy) {
  if (need(demands, 0) <= energy.value()) return 0;
  if (need(demands, kInfinity) > energy.value()) return kInfinity;
  double low = 1e-9;  // seconds for a joule: less than any step of any GPU costs
  double high = 1e3;
  for (int i = 0; i < 40; ++i) {
    const double middle = std::sqrt(low * high);
    (need(demands, middle) > energy.value() ? low : high) = middle;
  }
  return high;
}

}  // namespace penstock
