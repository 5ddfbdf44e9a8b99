#include "policies/clock_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "policies/elastic/curve.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

/// The number that `text` is as a whole.
template <class Number>
std::optional<Number> as_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string describe_clocks(const GpuType& type) {
  if (type.clock_step_mhz == 0 || type.max_clock_mhz == 0)
    return fmt::format("{} has no clocks that can be set", type.name);
  return fmt::format("{} has {} to {} MHz in steps of {}", type.name, type.min_clock_mhz,
                     type.max_clock_mhz, type.clock_step_mhz);
}

}  // namespace

/// "zeus" alone, or with an eta: "zeus-0.5".
std::optional<ClockChoice::ZeusTradeOff> ClockChoice::parse_zeus(std::string_view text) {
  constexpr std::string_view kName = "zeus";
  if (text == kName) return ZeusTradeOff{};
  if (!text.starts_with("zeus-")) return std::nullopt;
  const auto eta = as_number<double>(text.substr(kName.size() + 1));
  if (!eta || !(*eta >= 0 && *eta <= 1)) return std::nullopt;
  return ZeusTradeOff{*eta};
}

Result<ClockChoice> ClockChoice::parse(const std::string& text, const Cluster& cluster) {
  if (text == "max") return ClockChoice(Highest{});
  if (const auto zeus = parse_zeus(text)) return ClockChoice(*zeus);
  const auto mhz = as_number<std::uint32_t>(text);
  if (!mhz)
    return Error{fmt::format("clock: '{}' is not possible; {}", text, kClockOption.meaning)};
  for (const GpuType& type : cluster.types)
    if (!has_clock(type, *mhz))
      return Error{fmt::format("clock: {} MHz is not possible; {}", *mhz, describe_clocks(type))};
  return ClockChoice(*mhz);
}

std::uint32_t ClockChoice::clock(const Profile& profile, const GpuType& type,
                                 const Config& config) const {
  if (const auto* zeus = std::get_if<ZeusTradeOff>(&what_))
    return zeus_clock(profile, type, config, zeus->eta);
  const auto* mhz = std::get_if<std::uint32_t>(&what_);
  return mhz != nullptr ? *mhz : type.max_clock_mhz;
}

std::string ClockChoice::why(std::uint32_t gpus) const {
  const auto* zeus = std::get_if<ZeusTradeOff>(&what_);
  if (zeus == nullptr) return "the option clock says so";
  if (zeus->eta == 1) return "with this clock it needs least energy on " + gpus_label(gpus);
  return fmt::format("with this clock energy and time together cost least on {}, eta {:g}",
                     gpus_label(gpus), zeus->eta);
}

}  // namespace penstock
