#pragma once

#include <compare>
#include <cstdint>

#include "base/time.h"

namespace penstock {

/// A number with a unit. Two quantities of one kind add and compare; every other operation must be
/// declared below, or does not compile.
template <class Kind>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  constexpr double value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return a * k; }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  double value_ = 0;
};

using Watts = Quantity<struct WattsKind>;
using Joules = Quantity<struct JoulesKind>;
using Money = Quantity<struct MoneyKind>;  ///< of the scenario's one currency
using GramsCo2 = Quantity<struct GramsCo2Kind>;
using Celsius = Quantity<struct CelsiusKind>;
using Ratio = Quantity<struct RatioKind>;  ///< such as power usage effectiveness
using Work = Quantity<struct WorkKind>;  ///< samples of a training, or milliseconds of a rigid job
using Speed = Quantity<struct SpeedKind>;          ///< work per millisecond
using MoneyRate = Quantity<struct MoneyRateKind>;  ///< money per second

/// Money or carbon per kilowatt-hour.
template <class Q>
struct PerKwhKind;
template <class Q>
using PerKwh = Quantity<PerKwhKind<Q>>;
using Price = PerKwh<Money>;
using CarbonIntensity = PerKwh<GramsCo2>;

// The physics of this program, in a few lines.
inline constexpr double kJoulesPerKwh = 3.6e6;
constexpr Joules operator*(Watts p, Duration t) {
  return Joules(p.value() * seconds(t));
}
constexpr Watts operator/(Joules e, Duration t) {
  return Watts(e.value() / seconds(t));
}
constexpr Money operator*(MoneyRate r, Duration t) {
  return Money(r.value() * seconds(t));
}
constexpr Work operator*(Speed v, Duration t) {
  return Work(v.value() * static_cast<double>(t.count()));
}
constexpr Speed operator/(Work w, Duration t) {
  return Speed(w.value() / static_cast<double>(t.count()));
}
/// The first whole millisecond at which the work is done.
constexpr Duration operator/(Work w, Speed v) {
  const double exact = w.value() / v.value();
  const auto whole = static_cast<std::int64_t>(exact);
  return Duration(static_cast<double>(whole) < exact ? whole + 1 : whole);
}
template <class Q>
constexpr Q operator*(Joules e, PerKwh<Q> rate) {
  return Q(e.value() / kJoulesPerKwh * rate.value());
}

constexpr double kilowatt_hours(Joules e) {
  return e.value() / kJoulesPerKwh;
}

}  // namespace penstock
