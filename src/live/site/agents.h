#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "live/job/slurm_records.h"

namespace penstock {

/// The latest reports of the agents on the nodes of one site. A report that is older than a minute
/// does not count.
class Agents {
 public:
  struct Gpu {
    Watts power{};
    std::uint32_t clock_mhz = 0;
    std::optional<double> energy_j{};
  };
  struct Report {
    Time when{};
    std::map<std::uint32_t, Gpu> gpus{};  ///< by Slurm's index
    std::vector<std::string> problems{};
  };

  /// Parses the report of an agent. Power that no GPU can draw is ignored, with a problem.
  static Result<Report> read(const nlohmann::json& body, Time now);

  void take(const std::string& node, Report report) { reports_[node] = std::move(report); }
  /// A report counts if it came after `since` and is not too old at `now`.
  struct Span {
    Time since{};
    Time now{};
  };
  /// The energy counter of a GPU at an instant.
  struct Reading {
    Time when{};
    double joules = 0;
  };
  /// Of all these GPUs, one after the other; nothing unless all were looked at in `within`.
  std::optional<std::vector<Reading>> readings(const std::vector<SlurmJob::Held>& held,
                                               const Span& within) const;
  /// What the same GPUs drew together between two readings; nothing if that cannot be told.
  static std::optional<Watts> draw_between(const std::vector<Reading>& from,
                                           const std::vector<Reading>& to);
  /// What all these GPUs draw together; nothing unless all were looked at in `within`.
  std::optional<Watts> draw(const std::vector<SlurmJob::Held>& held, const Span& within) const;
  const std::map<std::string, Report, std::less<>>& reports() const { return reports_; }
  bool is_alive(const std::string& node, Time now) const;

 private:
  const Report* report_of(const std::string& node, const Span& within) const;

  std::map<std::string, Report, std::less<>> reports_;
};

}  // namespace penstock
