#pragma once

#include <algorithm>
#include <string_view>

#include "policies/order/order.h"

namespace penstock {

inline const Order& order_named(std::string_view name) {
  return *std::ranges::find(all_orders(), name, &Order::name);
}

}  // namespace penstock
