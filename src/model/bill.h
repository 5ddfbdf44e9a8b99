#pragma once

#include "base/units.h"

namespace penstock {

/// What running something has used up.
struct Bill {
  Joules energy{};
  Money cost{};
  GramsCo2 carbon{};

  Bill& operator+=(const Bill& other) {
    energy += other.energy;
    cost += other.cost;
    carbon += other.carbon;
    return *this;
  }
  friend Bill operator+(Bill a, const Bill& b) { return a += b; }
  friend bool operator==(const Bill&, const Bill&) = default;
};

}  // namespace penstock
