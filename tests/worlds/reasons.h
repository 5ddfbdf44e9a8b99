#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "worlds/run_log.h"
#include "worlds/text.h"

namespace penstock {

/// All that was said of a job in one turn, in one line.
inline std::string said_of(JobId job, const Turn& turn) {
  std::string all;
  for (const JobReason& each : turn.because)
    if (each.job == job) all += (all.empty() ? "" : "; ") + each.text;
  return all;
}

/// What was said of a job at an instant, in seconds after the start; of several turns with " | ".
inline std::string said_at(double when, std::uint32_t job, const RunLog& log, const World& world) {
  std::string all;
  for (const Turn& turn : log.turns)
    if (turn.now == world.start() + round_duration(when))
      if (const std::string said = said_of(JobId{job}, turn); !said.empty())
        all += (all.empty() ? "" : " | ") + said;
  return all;
}

/// Whoever is started, changed or stopped is told why.
inline void expect_reasons(const RunLog& log) {
  for (const Turn& turn : log.turns)
    for (const Action& action : turn.actions)
      std::visit(
          [&](const auto& a) {
            if constexpr (requires { a.job; }) {
              EXPECT_FALSE(said_of(a.job, turn).empty()) << text_of(action);
            }
          },
          action);
  for (const Turn& turn : log.turns)
    for (const JobReason& each : turn.because) EXPECT_FALSE(each.text.empty()) << each.job.index;
}

/// What is said changes nothing, and is said only to those who ask.
inline void expect_same_unexplained(const RunLog& explained, const RunLog& silent, Time start) {
  EXPECT_EQ(text_of(explained.turns, start), text_of(silent.turns, start));
  for (const Turn& turn : silent.turns) EXPECT_TRUE(turn.because.empty());
}

}  // namespace penstock
