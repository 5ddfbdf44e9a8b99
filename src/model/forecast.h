#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/rng.h"
#include "base/time.h"
#include "model/signal.h"
#include "model/site_signals.h"

namespace penstock {

/// The future exactly as it will be.
struct PerfectForecast {};

/// Every coming day is like the last known one.
struct PersistenceForecast {};

/// The truth times a random factor that depends only on the seed, the hour of
/// issue and the hour asked about. Factors are normal around 1 and never negative.
struct NoisyForecast {
  double mape = 0;  ///< mean absolute error as a part of the truth: 0.1 is 10 %
  std::uint64_t seed = 0;
};

/// The truth as far as a day-ahead market has settled it: once results are out, until the end of
/// the next day; before, until the end of the present one. Days are those of the market's clock.
struct DayAheadForecast {
  LocalClock clock{};
  Duration published{};  ///< time of day by that clock at which the next day becomes known

  /// The first instant whose price is not known yet at `now`; always after `now`.
  Time settled_until(Time now) const {
    const auto today = std::chrono::floor<std::chrono::days>(clock.shown_at(now));
    const bool out = now >= clock.when(today + published);
    return clock.when(Time(today + std::chrono::days(out ? 2 : 1)));
  }
};

/// Published forecasts, in order of publication.
template <class Q>
struct IssuedForecast {
  struct Issue {
    Time issued{};
    Signal<Q> values;
    Time end{};  ///< of its last step
  };
  std::vector<Issue> issues{};
};

/// How a policy learns about the future of one signal.
template <class Q>
struct ForecastRule {
  std::variant<PerfectForecast, PersistenceForecast, NoisyForecast, DayAheadForecast,
               IssuedForecast<Q>>
      kind{};
  std::optional<Duration> horizon{};  ///< nothing is forecast beyond this
};

/// What is believed at `now` about a signal. Past and present are the true values. Beyond the end
/// of the forecast the last known day repeats. Cheap to make: it only refers to the signal and the
/// rule.
template <class Q>
class Forecast {
 public:
  Forecast(const Signal<Q>& truth, const ForecastRule<Q>& rule, Time now)
      : truth_(truth), rule_(rule), now_(now) {
    if (const auto* issued = std::get_if<IssuedForecast<Q>>(&rule.kind)) issue_ = newest(*issued);
    known_until_ = find_known_until();
    repeats_from_ = std::holds_alternative<PersistenceForecast>(rule.kind)
                        ? now
                        : known_until_.value_or(Time::max());
  }

  /// Where the forecast ends; nothing if it never does.
  std::optional<Time> known_until() const { return known_until_; }

  Q at(Time t) const {
    return known_at(t <= now_ || t < unknown_from() ? t : t - days_back(t) * kDay);
  }

  /// The exact time-average of what is believed over [from, to); the value at
  /// `from` if that is empty.
  Q mean(Time from, Time to) const {
    if (from >= to) return at(from);
    if (to <= now_ || is_constant()) return truth_.mean(from, to);
    const double known = known_integral(std::min(from, repeats_from_), std::min(to, repeats_from_));
    return Q((known + repeated_until(to) - repeated_until(from)) / seconds(to - from));
  }

 private:
  using Issue = typename IssuedForecast<Q>::Issue;
  static constexpr Duration kDay = std::chrono::hours(24);
  static constexpr Duration kHour = std::chrono::hours(1);

  static std::int64_t hour_of(Time t) {
    return std::chrono::floor<std::chrono::hours>(t).time_since_epoch().count();
  }

  /// The newest issue that covers some of the future.
  const Issue* newest(const IssuedForecast<Q>& issued) const {
    const auto after = std::ranges::upper_bound(issued.issues, now_, {}, &Issue::issued);
    if (after == issued.issues.begin()) return nullptr;
    const Issue& issue = *std::prev(after);
    return issue.end > now_ ? &issue : nullptr;
  }

  std::optional<Time> find_known_until() const {
    std::optional<Time> end;
    if (rule_.horizon) end = now_ + *rule_.horizon;
    if (const auto* market = std::get_if<DayAheadForecast>(&rule_.kind)) {
      const Time settled = market->settled_until(now_);
      return end ? std::min(*end, settled) : settled;
    }
    if (!std::holds_alternative<IssuedForecast<Q>>(rule_.kind)) return end;
    const Time issue_end = issue_ ? issue_->end : now_;
    return end ? std::min(*end, issue_end) : issue_end;
  }

  bool is_constant() const {
    return truth_.steps().size() == 1 && !issue_ &&
           !std::holds_alternative<NoisyForecast>(rule_.kind);
  }

  /// A market does not know the step that begins at the end of its settled time; other forecasts
  /// include that step.
  Time unknown_from() const {
    if (std::holds_alternative<DayAheadForecast>(rule_.kind)) return repeats_from_;
    return repeats_from_ == Time::max() ? repeats_from_ : repeats_from_ + Duration(1);
  }

  /// How many whole days before `t` the matching time of the last known day lies.
  std::int64_t days_back(Time t) const { return (t - unknown_from()) / kDay + 1; }

  // Values up to `repeats_from_`: the past, then the forecast itself.
  Q known_at(Time t) const {
    if (t <= now_) return truth_.at(t);
    if (issue_) return issue_->values.at(t);
    if (const auto* noisy = std::get_if<NoisyForecast>(&rule_.kind))
      return truth_.at(t) * factor(*noisy, hour_of(t));
    return truth_.at(t);
  }

  double known_integral(Time from, Time to) const {
    const Time split = std::clamp(now_, from, to);
    const double past = truth_.integral(from, split);
    if (split >= to) return past;
    if (issue_) return past + issue_->values.integral(split, to);
    if (const auto* noisy = std::get_if<NoisyForecast>(&rule_.kind))
      return past + noisy_integral(*noisy, split, to);
    return past + truth_.integral(split, to);
  }

  double noisy_integral(const NoisyForecast& noisy, Time from, Time to) const {
    double sum = 0;
    while (from < to) {
      const Time next = std::min(to, Time(std::chrono::floor<std::chrono::hours>(from)) + kHour);
      sum += truth_.integral(from, next) * factor(noisy, hour_of(from));
      from = next;
    }
    return sum;
  }

  /// A normal error e has E|e| = deviation · √(2/π). The present hour has none.
  double factor(const NoisyForecast& noisy, std::int64_t hour) const {
    const std::int64_t issued = hour_of(now_);
    if (hour <= issued) return 1;
    Rng rng = Rng(noisy.seed)
                  .stream(static_cast<std::uint64_t>(issued))
                  .stream(static_cast<std::uint64_t>(hour));
    const double deviation = noisy.mape * std::sqrt(std::numbers::pi / 2);
    return std::max(0.0, rng.normal(1, deviation));
  }

  /// The integral over the repeated days from `repeats_from_` to `t`.
  double repeated_until(Time t) const {
    if (t <= repeats_from_) return 0;
    const Duration beyond = t - repeats_from_;
    const Time first = repeats_from_ - kDay;
    const double rest = known_integral(first, first + beyond % kDay);
    if (beyond < kDay) return rest;
    return rest + static_cast<double>(beyond / kDay) * known_integral(first, repeats_from_);
  }

  const Signal<Q>& truth_;
  const ForecastRule<Q>& rule_;
  Time now_;
  const Issue* issue_ = nullptr;
  std::optional<Time> known_until_{};
  Time repeats_from_{};
};

/// How policies learn about the future of one site.
struct SiteForecasts {
  ForecastRule<Price> price{};
  ForecastRule<CarbonIntensity> carbon{};
};

/// What a policy may know of prices, carbon and caps at one instant: the present,
/// and forecasts issued now. Refers to the signals and rules it was made of.
class Outlook {
 public:
  Outlook(std::span<const SiteSignals> sites, std::span<const SiteForecasts> rules, Time now)
      : sites_(sites), rules_(rules), now_(now) {
    PENSTOCK_CHECK(sites.size() == rules.size());
  }

  Forecast<Price> price(SiteId site) const {
    return {sites_[site.index].price, rules_[site.index].price, now_};
  }
  Forecast<CarbonIntensity> carbon(SiteId site) const {
    return {sites_[site.index].carbon, rules_[site.index].carbon, now_};
  }
  /// The outlook of one site alone, which is then site 0.
  Outlook single_site(SiteId site) const {
    return {sites_.subspan(site.index, 1), rules_.subspan(site.index, 1), now_};
  }
  /// What the site draws for each watt of its machines, now.
  Ratio pue(SiteId site) const { return sites_[site.index].pue.at(now_); }
  /// The most the site may draw now; nothing if it has no cap.
  std::optional<Watts> cap(SiteId site) const {
    const auto& cap = sites_[site.index].cap;
    if (!cap) return std::nullopt;
    return cap->at(now_);
  }

 private:
  std::span<const SiteSignals> sites_;
  std::span<const SiteForecasts> rules_;
  Time now_;
};

}  // namespace penstock
