#pragma once

#include "learn/net/weights.h"

namespace penstock {

/// Adds all of `part` with the prefix before every name.
void put_part(Weights& all, const std::string& prefix, const Weights& part);
/// What has the prefix, without it.
Weights part_of(const Weights& all, const std::string& prefix);

}  // namespace penstock
