#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "live/slurm_backend.h"

namespace penstock {

enum class Mode : std::uint8_t {
  shadow,  ///< observes, and records what it would do
  fenced,  ///< acts within limits
  live,
};
std::string_view name_of(Mode mode);

/// A span of the day in minutes, UTC; one that ends before it begins goes over midnight.
struct DayHours {
  int from = 0;
  int until = 24 * 60;
};

struct FenceOptions {
  Mode mode = Mode::shadow;
  std::optional<std::uint32_t> actions_per_minute{};
  std::vector<DayHours> hours{};  ///< in which it may act; empty: always
};
bool is_within(const std::vector<DayHours>& hours, Time now);

/// Refuses actions that are forbidden at present, that a cluster cannot carry out, or that exceed
/// the operator's limits.
class LiveFence final : public Fence {
 public:
  /// Why the daemon may not act at a site; nothing if it may.
  using WhyNot = std::function<std::optional<std::string>(SiteId)>;
  LiveFence(FenceOptions options, const Cluster& cluster, SlurmBackend& backend, LiveClock& clock,
            WhyNot why_not)
      : options_(std::move(options)),
        cluster_(cluster),
        backend_(backend),
        clock_(clock),
        why_not_(std::move(why_not)) {}

  std::optional<std::string> refuses(const Action& action, const State& state) override;

 private:
  std::optional<std::string> impossible(const Action& action) const;
  std::optional<std::string> impossible_at(const SlurmSite& site, const Action& action) const;
  SiteId site_of(const Action& action) const;
  std::optional<std::string> wrong_shape(const Action& action);
  std::optional<std::string> beyond_limits();

  FenceOptions options_;
  const Cluster& cluster_;
  SlurmBackend& backend_;
  LiveClock& clock_;
  WhyNot why_not_;
  std::deque<Time> lately_;  ///< when actions were allowed, for a minute
};

}  // namespace penstock
