#pragma once

#include <optional>
#include <string>

#include "bridge/command.h"
#include "bridge/json_writer.h"
#include "bridge/reported_jobs.h"

namespace penstock::slurm {

/// Why Slurm did not do it: a word for programs, Slurm's own number (0: ours) and text for people.
struct Failure {
  std::string code{};
  std::string text{};
  int number = 0;
};

/// What libslurm just reported, by its error number.
Failure failure_of(int number);

/// Each asks slurmctld once (nodes, and jobs that are placed: twice) and waits at most Slurm's
/// MessageTimeout for each exchange. What is to be told goes into the open object `out`, into which
/// nothing is written on failure.
using Outcome = std::optional<Failure>;
Outcome answer(const bridge::Hello& request, bridge::JsonWriter& out);
Outcome answer(const bridge::ListJobs& request, bridge::ReportedJobs& told,
               bridge::JsonWriter& out);
Outcome answer(const bridge::ListNodes& request, bridge::JsonWriter& out);
Outcome answer(const bridge::ListPartitions& request, bridge::JsonWriter& out);
Outcome answer(const bridge::UpdateJob& request, bridge::JsonWriter& out);
Outcome answer(const bridge::Requeue& request, bridge::JsonWriter& out);
Outcome answer(const bridge::SignalJob& request, bridge::JsonWriter& out);
Outcome answer(const bridge::CancelJob& request, bridge::JsonWriter& out);
Outcome answer(const bridge::ChangeNodes& request, bridge::JsonWriter& out);
Outcome answer(const bridge::SubmitJob& request, bridge::JsonWriter& out);

/// The whole reply to a line, without its end. `told` is what was replied before. Several threads
/// may ask at once what does not touch (bridge/workers.h).
std::string reply_to(const bridge::Request& request, bridge::ReportedJobs& told);

}  // namespace penstock::slurm
