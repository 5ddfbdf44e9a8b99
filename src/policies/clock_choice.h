#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "model/cluster.h"
#include "model/profile.h"
#include "policy/policy_table.h"

namespace penstock {

/// The option `clock` of every policy that leaves clocks alone.
inline constexpr OptionSpec kClockOption{
    "clock", "max",
    "max, zeus (least energy of each job by itself), zeus-ETA such as zeus-0.5 (least ETA * energy "
    "+ "
    "(1 - ETA) * peak power * time of each job, ETA from 0 to 1), or a clock in MHz"};

/// The clock at which jobs with a model run under a policy that leaves clocks alone.
class ClockChoice {
 public:
  /// A value of kClockOption; a clock in MHz must be possible on every type of the cluster.
  static Result<ClockChoice> parse(const std::string& text, const Cluster& cluster);

  /// The highest of each type.
  bool is_highest() const { return std::holds_alternative<Highest>(what_); }
  std::uint32_t clock(const Profile& profile, const GpuType& type, const Config& config) const;
  /// Why a job on so many GPUs has this clock.
  std::string why(std::uint32_t gpus) const;

 private:
  struct Highest {};
  /// What a job by itself is to have the least of; see zeus_clock().
  struct ZeusTradeOff {
    double eta = 1;
  };
  using What = std::variant<Highest, std::uint32_t, ZeusTradeOff>;

  explicit ClockChoice(What what) : what_(what) {}
  static std::optional<ZeusTradeOff> parse_zeus(std::string_view text);

  What what_;
};

}  // namespace penstock
