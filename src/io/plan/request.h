#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "joint/optimise.h"

namespace penstock {

inline constexpr double kSecondsAnHour = 3600;

/// How a request writes instants; its answer does so too.
enum class InstantForm : std::uint8_t {
  seconds,  ///< a number
  iso,      ///< "2020-07-21T17:56:59Z", or what else parse_time() knows
  weekday,  ///< "Tue 21 Jul 2020, 17.56.59", as the published service does
};

struct Instant {
  double seconds = 0;  ///< since 1970, or since whatever a number counts from
  InstantForm form = InstantForm::seconds;
};

/// Nothing if the text is no instant in one of the two forms of text.
std::optional<Instant> parse_instant(std::string_view text);

/// A JSON value; text is rounded to milliseconds, and to seconds for InstantForm::weekday.
std::string instant_json(const Instant& instant);

/// A request to `penstock plan`; docs/formats/plan.md is its contract.
struct PlanRequest {
  JointProblem problem{};  ///< jobs and nodes are called by the user's ids, in the user's order
  JointSettings settings{};
  bool verbose = false;
  InstantForm form = InstantForm::seconds;  ///< of currentTime
};

/// Refuses with every problem at once, each as "file: jobs.J3.Deadline: what".
Result<PlanRequest> parse_plan_request(std::string_view text, const std::string& file);

/// What requests call a method, and what it does.
struct PlanMethod {
  std::string_view name;
  JointMethod method;
  std::string_view summary;
};
std::span<const PlanMethod> plan_methods();
/// Parses the name of a method; the error lists the possible ones.
Result<JointMethod> parse_plan_method(std::string_view name);
std::string_view plan_method_name(JointMethod method);

}  // namespace penstock
