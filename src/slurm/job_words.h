#pragma once

#include <slurm/slurm.h>

#include <string_view>

#include "bridge/json_writer.h"

namespace penstock::slurm {

/// "pending", "running", ...
std::string_view state_word(std::uint32_t state);

/// "completing", "configuring", ...: what goes with the state, as a list.
void write_state_flags(std::uint32_t state, bridge::JsonWriter& out);

/// "held", "resources", ...; "other" for limits of accounts and QOS, whose number is written beside
/// it.
std::string_view reason_word(std::uint32_t reason);

}  // namespace penstock::slurm
