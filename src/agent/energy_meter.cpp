#include "agent/energy_meter.h"

namespace penstock::agent {
namespace {

constexpr Watts kMostPower(10'000);  // no GPU is near

bool is_believable(Joules more, Duration elapsed) {
  return more >= Joules(0) && more <= kMostPower * (elapsed + std::chrono::seconds(1));
}

}  // namespace

EnergyMeter::Source EnergyMeter::add(const Reading& reading, Duration at) {
  const bool first = !at_;
  const Duration elapsed = first ? Duration::zero() : at - *at_;
  const Watts draw = power_.value_or(reading.power.value_or(Watts(0)));
  const Joules by_power = (draw + reading.power.value_or(draw)) * 0.5 * elapsed;
  const auto counter_before = counter_;
  counter_ = reading.energy;
  power_ = reading.power;
  at_ = at;
  if (first && reading.energy) {
    total_ = *reading.energy;
    return Source::counter;
  }
  if (reading.energy && counter_before &&
      is_believable(*reading.energy - *counter_before, elapsed)) {
    total_ += *reading.energy - *counter_before;
    return Source::counter;
  }
  total_ += by_power;
  return reading.energy && counter_before ? Source::doubtful_counter : Source::power;
}

}  // namespace penstock::agent
