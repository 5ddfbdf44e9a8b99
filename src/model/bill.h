#pragma once

#include <cstdint>

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

/// What sending files has used up, where they were sent from. Its energy is that of the network,
/// without PUE.
struct TransferBill {
  std::uint32_t count = 0;
  double gigabytes = 0;
  Joules energy{};
  Money cost{};  ///< of the energy
  GramsCo2 carbon{};
  Money fee{};  ///< by the gigabyte

  Money money() const { return cost + fee; }
  TransferBill& operator+=(const TransferBill& other) {
    count += other.count;
    gigabytes += other.gigabytes;
    energy += other.energy;
    cost += other.cost;
    carbon += other.carbon;
    fee += other.fee;
    return *this;
  }
  friend bool operator==(const TransferBill&, const TransferBill&) = default;
};

}  // namespace penstock
