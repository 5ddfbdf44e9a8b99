#include <array>

#include "io/plan/request.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {

std::span<const PlanMethod> plan_methods() {
  static constexpr auto all = std::to_array<PlanMethod>({
      {"RG", JointMethod::random_greedy, "the best of many greedy plans with some luck"},
      {"G", JointMethod::greedy, "most pressing first, cheapest in time, else fastest"},
      {"LS", JointMethod::local_search, "RG, improved by local search"},
      {"PR", JointMethod::relinking, "LS, and walks between good plans"},
      {"FIFO", JointMethod::fifo, "first come, first served; running jobs are left alone"},
      {"EDF", JointMethod::edf, "earliest deadline first; running jobs are left alone"},
      {"PS", JointMethod::priority, "highest priority first; running jobs are left alone"},
      {"EXACT", JointMethod::exact, "a proven best plan, for small requests"},
  });
  return all;
}

Result<JointMethod> parse_plan_method(std::string_view name) {
  std::vector<std::string_view> names;
  std::string there_are;
  for (const PlanMethod& known : plan_methods()) {
    if (known.name == name) return known.method;
    names.push_back(known.name);
    there_are += " " + std::string(known.name);
  }
  return Error{"there is no method " + in_quotes(name) + "; there are:" + there_are +
               did_you_mean(name, names)};
}

std::string_view plan_method_name(JointMethod method) {
  for (const PlanMethod& known : plan_methods())
    if (known.method == method) return known.name;
  return "";
}

}  // namespace penstock
