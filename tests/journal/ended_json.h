#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "journal/ended_job.h"

namespace penstock {

inline std::int64_t ms_since_epoch(Time when) {
  return when.time_since_epoch().count();
}

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json run_json(const EndedRun& run) {
  nlohmann::ordered_json out{{"started_ms", ms_since_epoch(run.started)},
                             {"ended_ms", ms_since_epoch(run.ended)},
                             {"gpus", run.gpus},
                             {"nodes", run.nodes},
                             {"type", run.type},
                             {"clock_mhz", run.clock_mhz},
                             {"done", or_null(run.done)}};
  if (run.lag) out["lag_s"] = seconds(*run.lag);
  if (run.batch) out["batch"] = *run.batch;
  return out;
}

/// A job that has ended as JSON on one line: the detail of an entry "ended".
inline std::string ended_json(const EndedJob& job) {
  const auto ms = [](Time when) { return ms_since_epoch(when); };
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const EndedRun& run : job.runs) runs.push_back(run_json(run));
  nlohmann::ordered_json out{
      {"ref", job.ref},
      {"name", job.name},
      {"user", job.user},
      {"account", job.account},
      {"partition", job.partition},
      {"comment", job.comment},
      {"state", job.state},
      {"submitted_ms", ms(job.submitted)},
      {"gpus", job.gpus},
      {"gpu_type", job.gpu_type.empty() ? nlohmann::ordered_json(nullptr)
                                        : nlohmann::ordered_json(job.gpu_type)},
      {"time_limit_s", job.time_limit ? nlohmann::ordered_json(seconds(*job.time_limit)) : nullptr},
      {"kind", job.kind},
      {"work", or_null(job.work)},
      {"batch", or_null(job.batch)},
      {"deadline_ms", job.deadline ? nlohmann::ordered_json(ms(*job.deadline)) : nullptr},
      {"priority", or_null(job.priority)},
      {"tardiness_per_s", or_null(job.tardiness_per_s)},
      {"least", or_null(job.least)},
      {"most", or_null(job.most)},
      {"pinned", job.pinned},
      {"runs", runs},
      {"energy_j", job.energy_j},
      {"cost", job.cost},
      {"carbon_g", job.carbon_g},
      {"predicted_cost", or_null(job.predicted_cost)}};
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace penstock
