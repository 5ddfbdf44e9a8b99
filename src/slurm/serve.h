#pragma once

#include <optional>

#include "bridge/event_socket.h"

namespace penstock::slurm {

/// Answers every line from `in` with one line to `out`, in order, and pushes events between them,
/// until `in` ends or nobody reads `out`. Requests about different jobs are carried out at once.
void serve(int in, int out, std::optional<bridge::EventSocket> events);

}  // namespace penstock::slurm
