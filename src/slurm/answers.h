#pragma once

#include <optional>
#include <string>

#include "bridge/command.h"
#include "bridge/json_writer.h"
#include "bridge/reported_jobs.h"

namespace penstock::slurm {

/// Why Slurm refused a command: a code for programs, Slurm's error number (0: an error of the
/// bridge) and text for people.
struct CommandFailure {
  std::string code{};
  std::string text{};
  int number = 0;
};

/// The failure that belongs to an error number of libslurm.
CommandFailure failure_of(int number);

/// Each asks slurmctld once (nodes, and jobs that are placed: twice) and waits at most Slurm's
/// MessageTimeout for each exchange. The answer is written into the open object `out`; nothing is
/// written on failure.
std::optional<CommandFailure> answer(const bridge::Hello& request, bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::ListJobs& request,
                                     bridge::ReportedJobs& reported, bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::ListNodes& request, bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::ListPartitions& request,
                                     bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::UpdateJob& request, bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::Requeue& request, bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::SignalJob& request, bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::CancelJob& request, bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::ChangeNodes& request, bridge::JsonWriter& out);
std::optional<CommandFailure> answer(const bridge::SubmitJob& request, bridge::JsonWriter& out);

/// The whole reply to a line, without its line end. `reported` holds what earlier replies listed.
/// Several threads may call this at once for requests that do not conflict (bridge/workers.h).
std::string reply_to(const bridge::Request& request, bridge::ReportedJobs& reported);

}  // namespace penstock::slurm
