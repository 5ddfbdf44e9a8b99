#pragma once

#include "base/units.h"

namespace penstock {

/// What running something has used up.
struct Bill {
  Joules energy{};
  Money cost{};
  GramsCo2 carbon{};
  Money rent{};  ///< for nodes that are paid by the hour; not in `cost`

  Bill& operator+=(const Bill& other) {
    energy += other.energy;
    cost += other.cost;
    carbon += other.carbon;
    rent += other.rent;
    return *this;
  }
  Bill& operator-=(const Bill& other) {
    energy -= other.energy;
    cost -= other.cost;
    carbon -= other.carbon;
    rent -= other.rent;
    return *this;
  }
  friend Bill operator+(Bill a, const Bill& b) { return a += b; }
  friend Bill operator-(Bill a, const Bill& b) { return a -= b; }
  friend Bill operator*(const Bill& a, double k) {
    return {a.energy * k, a.cost * k, a.carbon * k, a.rent * k};
  }
  friend bool operator==(const Bill&, const Bill&) = default;
};

}  // namespace penstock
