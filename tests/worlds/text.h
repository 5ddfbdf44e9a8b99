#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "worlds/run_log.h"

namespace penstock {

/// "12.5 s", with as many decimals as needed.
inline std::string text_of(Duration d) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g s", seconds(d));
  return text;
}

/// "0-3 7"
inline std::string text_of(const Placement& where) {
  std::string text;
  for (const GpuRange& range : where) {
    if (!text.empty()) text += ' ';
    text += std::to_string(range.first.index);
    if (range.count > 1) text += '-' + std::to_string(range.first.index + range.count - 1);
  }
  return text;
}

inline std::string text_of(const char* verb, JobId job) {
  return "job " + std::to_string(job.index) + ' ' + verb;
}
inline std::string text_of(const char* verb, NodeId node) {
  return "node " + std::to_string(node.index) + ' ' + verb;
}

inline std::string text_of(const Knobs& knobs) {
  std::string text;
  if (knobs.clock_mhz) text += " at " + std::to_string(*knobs.clock_mhz) + " MHz";
  if (knobs.batch) text += " with a batch of " + std::to_string(std::lround(*knobs.batch));
  return text;
}

struct EventText {
  std::string operator()(const JobSubmitted& e) const { return text_of("is submitted", e.job); }
  std::string operator()(const JobReady& e) const { return text_of("is ready", e.job); }
  std::string operator()(const JobFinished& e) const {
    return text_of(e.outcome == Outcome::killed ? "is killed" : "finishes", e.job);
  }
  std::string operator()(const JobInterrupted& e) const {
    return text_of("is interrupted, keeps ", e.job) +
           text_of(Duration(static_cast<std::int64_t>(e.kept.value())));
  }
  std::string operator()(const NodeFailed& e) const { return text_of("fails", e.node); }
  std::string operator()(const NodeRepaired& e) const { return text_of("is repaired", e.node); }
  std::string operator()(const JobArrived& e) const { return text_of("arrives", e.job); }
  std::string operator()(const JobWithdrawn& e) const { return text_of("is withdrawn", e.job); }
  std::string operator()(const JobStarted& e) const {
    return text_of("was started on ", e.job) + text_of(e.where) + text_of(e.knobs);
  }
  std::string operator()(const JobMeasured& e) const { return text_of("was measured", e.job); }
  std::string operator()(const Refused& e) const;
};

struct ActionText {
  std::string operator()(const Start& a) const {
    return text_of("starts on ", a.job) + text_of(a.where) + text_of(a.knobs);
  }
  std::string operator()(const Preempt& a) const { return text_of("is preempted", a.job); }
  std::string operator()(const Resize& a) const {
    return text_of("is resized to ", a.job) + text_of(a.where) + text_of(a.knobs);
  }
  std::string operator()(const Migrate& a) const {
    return text_of("migrates to ", a.job) + text_of(a.where);
  }
  std::string operator()(const SetClock& a) const {
    return text_of("is clocked at ", a.job) + std::to_string(a.clock_mhz) + " MHz";
  }
  std::string operator()(const SetBatch& a) const {
    return text_of("gets a batch of ", a.job) + std::to_string(std::lround(a.batch));
  }
  std::string operator()(const Sleep& a) const { return text_of("is sent to sleep", a.node); }
  std::string operator()(const Wake& a) const { return text_of("is woken", a.node); }
  std::string operator()(const Route& a) const {
    return text_of("is sent to site ", a.job) + std::to_string(a.to.index);
  }
};

inline std::string text_of(const Action& action) {
  return std::visit(ActionText{}, action);
}
inline std::string EventText::operator()(const Refused& e) const {
  return "refused: " + text_of(e.action);
}
inline std::string text_of(const Event& event) {
  return std::visit(EventText{}, event);
}

/// Everything told and decided, a line each.
inline std::string text_of(const std::vector<Turn>& turns, Time start) {
  std::string text;
  for (const Turn& turn : turns) {
    text += text_of(turn.now - start) + '\n';
    for (const Event& event : turn.events) text += "  " + text_of(event) + '\n';
    for (const Action& action : turn.actions) text += "  -> " + text_of(action) + '\n';
    if (turn.ask_again) text += "  ask again at " + text_of(*turn.ask_again - start) + '\n';
  }
  return text;
}

}  // namespace penstock
