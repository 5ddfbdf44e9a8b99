#include "experiment/sweep/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/rng.h"
#include "base/version.h"

namespace penstock {
namespace {

/// What is left of a label in the name of a folder: no file system takes more than 255.
constexpr std::size_t kLongestName = 120;

std::string policy_text(const PolicyChoice& policy) {
  std::string text = policy.name;
  for (const auto& [name, value] : policy.options) text += fmt::format(":{}={}", name, value);
  return text;
}

SweepPoint point_of(const Variant& variant, const PolicyChoice& policy, const Combination& swept) {
  const Scenario& scenario = variant.scenario;
  return {.policy = policy,
          .label = run_label(policy, variant.swept),
          .facts = {{"version", kVersion},
                    {"scenario_hash", scenario.hash},
                    {"seed", fmt::format("{}", scenario.seed)},
                    {"policy", policy_text(policy)},
                    {"changes", fmt::format("{}", fmt::join(swept, "; "))}}};
}

std::string key_of(const SweepPoint& point) {
  std::string text;
  for (const auto& [name, value] : point.facts) text += fmt::format("{}={}\n", name, value);
  return fingerprint(text);
}

/// Whether a comma here is part of a value, after one more letter of it.
class Nesting {
 public:
  bool inside() const { return quoted_ || depth_ > 0; }
  void add(char c) {
    if (c == '"') quoted_ = !quoted_;
    if (quoted_) return;
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
  }

 private:
  bool quoted_ = false;
  int depth_ = 0;
};

}  // namespace

std::string fingerprint(std::string_view text) {
  return fmt::format("{:016x}", Rng(0).stream(text).state());
}

Result<SweepAxis> parse_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return Error{fmt::format("--vary {}: is not key=value,value,...", text)};
  SweepAxis axis{.key = std::string(text.substr(0, equals)), .values = {""}};
  Nesting nesting;
  for (const char c : text.substr(equals + 1)) {
    if (c == ',' && !nesting.inside()) {
      axis.values.emplace_back();
      continue;
    }
    nesting.add(c);
    axis.values.back() += c;
  }
  for (const std::string& value : axis.values)
    if (value.empty()) return Error{fmt::format("--vary {}: has an empty value", text)};
  return axis;
}

Result<std::vector<SweepAxis>> parse_axes(const std::vector<std::string>& texts) {
  std::vector<SweepAxis> axes;
  for (const std::string& text : texts) {
    auto axis = parse_axis(text);
    if (!axis) return std::move(axis).error();
    if (std::ranges::find(axes, axis->key, &SweepAxis::key) != axes.end())
      return Error{fmt::format("--vary {}: {} varies already", text, axis->key)};
    axes.push_back(*std::move(axis));
  }
  return axes;
}

Result<Done> name_points(SweepPlan& plan) {
  std::map<std::string, const SweepPoint*> known;
  std::string keys;
  for (SweepPoint& point : plan.points) {
    point.key = key_of(point);
    point.folder = fmt::format("{}-{}", folder_name(point.label).substr(0, kLongestName),
                               point.key.substr(0, 8));
    point.facts.insert(point.facts.begin(), {"key", point.key});
    keys += point.key;
    if (!known.emplace(point.folder, &point).second)
      return Error{fmt::format("two points are the same: {}; a policy or a value is named twice",
                               point.label)};
  }
  plan.key = fingerprint(keys);
  return Done{};
}

Result<SweepPlan> plan_sweep(const ExperimentSpec& spec) {
  auto combinations = combinations_of(spec);
  if (!combinations) return std::move(combinations).error();
  SweepPlan plan{.combinations = *std::move(combinations)};
  for (const std::string& change : plan.combinations.front())
    plan.axes.push_back(change.substr(0, change.find('=')));
  for (std::size_t i = 0; i < plan.combinations.size(); ++i) {
    const auto variant = prepare_variant(spec, plan.combinations[i]);
    if (!variant) return variant.error();
    const std::vector<PolicyChoice> policies = policies_of(**variant, spec.policies);
    for (const PolicyChoice& policy : policies) {
      plan.points.push_back(point_of(**variant, policy, plan.combinations[i]));
      plan.points.back().combination = i;
    }
    if (i > 0) continue;
    plan.notes = (*variant)->scenario.notes;
    for (std::string& line : foreign_weights(policies, (*variant)->scenario.name))
      plan.notes.push_back(std::move(line));
  }
  if (auto named = name_points(plan); !named) return std::move(named).error();
  return plan;
}

}  // namespace penstock
