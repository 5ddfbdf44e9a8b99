#include "agent/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace penstock::agent {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostIndex = 1023;
constexpr std::int64_t kHighestPlannedMhz = 20'000;
constexpr std::int64_t kMostWatts = 10'000;
constexpr std::int64_t kLongestValidity = 24L * 3600;
constexpr std::size_t kLongestJob = 64;
constexpr std::size_t kMostProblems = 8;

struct Reader {
  std::vector<std::string> problems{};

  void add_problem(const std::string& where, const std::string& what) {
    if (problems.size() < kMostProblems) problems.push_back(where + ": " + what);
  }

  void refuse_others(const Json& object, const std::string& where,
                     std::initializer_list<std::string_view> known) {
    for (const auto& [name, value] : object.items())
      if (std::ranges::find(known, name) == known.end())
        add_problem(where, fmt::format("there is no member '{}'; there are: {}", name.substr(0, 64),
                                       fmt::join(known, " ")));
  }

  std::optional<std::int64_t> whole(const Json& object, const std::string& path, const char* name,
                                    std::int64_t least, std::int64_t most) {
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) return {};
    const std::string where = path.empty() ? name : path + "." + name;
    const bool is_whole = found->is_number_integer() &&
                          (!found->is_number_unsigned() ||
                           found->get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
    if (is_whole && *found >= least && *found <= most) return found->get<std::int64_t>();
    add_problem(where, fmt::format("must be a whole number from {} to {}", least, most));
    return {};
  }

  std::string job(const Json& object, const std::string& path) {
    const auto found = object.find("job");
    if (found == object.end() || found->is_null()) return {};
    if (found->is_number_unsigned()) return std::to_string(found->get<std::uint64_t>());
    if (found->is_string() && found->get_ref<const std::string&>().size() <= kLongestJob)
      return found->get<std::string>();
    add_problem(path + ".job",
                fmt::format("must be a number, or text of up to {} bytes", kLongestJob));
    return {};
  }

  PlannedGpu gpu(const Json& object, const std::string& path) {
    PlannedGpu gpu;
    if (!object.is_object()) {
      add_problem(path, "must be an object");
      return gpu;
    }
    refuse_others(object, path, {"index", "clock_mhz", "limit_w", "job"});
    const auto before = problems.size();
    const auto index = whole(object, path, "index", 0, kMostIndex);
    if (!index && problems.size() == before) add_problem(path + ".index", "is missing");
    gpu.index = static_cast<unsigned>(index.value_or(0));
    if (const auto mhz = whole(object, path, "clock_mhz", 0, kHighestPlannedMhz); mhz && *mhz > 0)
      gpu.clock_mhz = static_cast<unsigned>(*mhz);
    if (const auto watts = whole(object, path, "limit_w", 1, kMostWatts))
      gpu.limit = Watts(static_cast<double>(*watts));
    gpu.job = job(object, path);
    return gpu;
  }

  void gpus(const Json& object, ClockPlan& plan) {
    const auto found = object.find("gpus");
    if (found == object.end() || !found->is_array() ||
        found->size() > static_cast<std::size_t>(kMostIndex) + 1)
      return add_problem("gpus", fmt::format("must be a list of up to {} objects", kMostIndex + 1));
    std::set<unsigned> seen;
    for (const Json& one : *found) {
      const std::string path = fmt::format("gpus[{}]", plan.gpus.size());
      plan.gpus.push_back(gpu(one, path));
      if (!seen.insert(plan.gpus.back().index).second)
        add_problem(path + ".index", fmt::format("GPU {} is named twice", plan.gpus.back().index));
    }
  }
};

}  // namespace

Result<ClockPlan> parse_plan(std::string_view json) {
  if (json.size() > kLongestPlan)
    return Error{fmt::format("plan: is longer than {} bytes", kLongestPlan)};
  const Json object = Json::parse(json, nullptr, false);
  if (object.is_discarded()) return Error{"plan: is not JSON"};
  if (!object.is_object()) return Error{"plan: must be an object"};
  ClockPlan plan;
  Reader reader;
  reader.refuse_others(object, "plan", {"valid_s", "gpus"});
  const auto valid = reader.whole(object, "", "valid_s", 1, kLongestValidity);
  if (!valid && reader.problems.empty()) reader.add_problem("valid_s", "is missing");
  plan.valid = std::chrono::seconds(valid.value_or(0));
  reader.gpus(object, plan);
  if (!reader.problems.empty())
    return Error{fmt::format("plan: {}", fmt::join(reader.problems, "; "))};
  return plan;
}

Fitted<unsigned> fit_clock(const GpuTraits& traits, unsigned mhz) {
  if (traits.clocks.empty()) return {mhz, ""};
  const unsigned least = traits.clocks.front();
  const unsigned most = traits.clocks.back();
  if (mhz < least)
    return {least, fmt::format("{} MHz were asked for; {} is the least there is", mhz, least)};
  if (mhz > most)
    return {most, fmt::format("{} MHz were asked for; {} is the most there is", mhz, most)};
  return {*std::prev(std::ranges::upper_bound(traits.clocks, mhz)), ""};
}

Result<Fitted<Watts>> fit_limit(const GpuTraits& traits, const PlannedGpu& planned) {
  if (!traits.least_limit || !traits.most_limit)
    return Error{"NVIDIA's library does not tell which power limits can be set"};
  if (!planned.limit && (traits.clocks.empty() || !planned.clock_mhz))
    return Error{"no power limit follows from the plan's clock: the highest clock is not known"};
  const Watts requested =
      planned.limit.value_or(*traits.most_limit * (static_cast<double>(*planned.clock_mhz) /
                                                   static_cast<double>(traits.clocks.back())));
  Fitted<Watts> fitted{std::clamp(requested, *traits.least_limit, *traits.most_limit), ""};
  if (planned.limit && fitted.value != requested)
    fitted.problem =
        fmt::format("{:g} W were asked for; {:g} to {:g} can be set", requested.value(),
                    traits.least_limit->value(), traits.most_limit->value());
  return fitted;
}

}  // namespace penstock::agent
