#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policies/order/order.h"
#include "policy/policy_table.h"

namespace penstock {

/// The options of an order.
std::span<const OptionSpec> options_of(const Order& order);
PolicyTraits traits_of(const Order& order);

/// The policy that serves the queue in the order called `name`, which must exist.
Result<std::unique_ptr<Policy>> make_list_policy(const PolicySetting& setting,
                                                 std::string_view name, const Options& options);

}  // namespace penstock
