#pragma once

#include <memory>
#include <span>

#include "policy/order/order.h"
#include "policy/registry.h"

namespace penstock {

/// The knobs of the order family.
std::span<const OptionSpec> list_options();
/// The same and the quantum of `las`.
std::span<const OptionSpec> las_options();

Result<std::unique_ptr<Policy>> make_list_policy(const PolicySetting& setting, const Order& order,
                                                 const Options& options);

}  // namespace penstock
