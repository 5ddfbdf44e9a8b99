#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock {

/// How much energy may be used: so much in any window of time, or so much in the whole run.
struct BudgetSpec {
  Joules amount{};
  std::optional<Duration> window{};   ///< `amount` is for any stretch of this length
  std::optional<Duration> horizon{};  ///< of a whole run: `amount` has to last for this
};

/// Reads "40 kWh/h" with the window it holds for, or "900 kWh" for the whole run.
Result<BudgetSpec> parse_budget(const std::string& text, Duration window,
                                std::optional<Duration> horizon);

/// Computes from meter readings what may still be drawn.
class Budget {
 public:
  /// `floor` is drawn whatever is decided. Of a budget by window it is kept free: however much
  /// was drawn, cap() is never below it, if the window has room for it at all.
  Budget(const BudgetSpec& spec, Time start, Watts floor = {});

  /// What the meter shows; time and energy never go back.
  void meter(Time now, Joules used);

  /// The most that may be drawn, evenly, from the last reading until `slot` later, so that the
  /// budget holds at every instant until then.
  Watts cap(Duration slot) const;
  /// Whether the cap may rise later while only the floor is drawn. Valid only if that was so
  /// between the last two readings.
  bool may_recover() const;
  /// How long the run will last at least, as far as the budget says.
  Duration ahead() const;
  /// What is left for the rest of the run; infinite for a budget by window.
  Joules left() const;

 private:
  struct Reading {
    Time when{};
    Joules used{};  ///< at least the floor, also while less was drawn
  };
  Joules used_at(Time when) const;

  BudgetSpec spec_;
  Time start_;
  Watts floor_;
  Joules metered_{};
  std::deque<Reading> readings_;  ///< linear in between; the first is not younger than the window
};

}  // namespace penstock
