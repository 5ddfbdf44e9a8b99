#include "study/mars/mars_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>

#include "study/mars/mars_report.h"
#include "study/run_cases.h"

namespace penstock {
namespace {

constexpr auto kMarsOrders = std::to_array<const char*>(
    {"fifo", "sjf", "smallest", "wfp3", "unicep", "f1", "f2", "f3", "f4"});
constexpr std::uint32_t kMostTrainingWindows = 25;

std::vector<Method> heuristics() {
  std::vector<Method> all;
  for (const char* order : kMarsOrders) {
    all.push_back({order, {order, {{"backfill", "none"}}}});
    all.push_back({fmt::format("{}+easy", order), {order, {{"backfill", "easy"}}}});
  }
  return all;
}

/// Plain learning, the whole, and the whole without one of its parts each.
void add_learned(std::vector<Method>& all, const std::optional<std::string>& weights) {
  const std::string file = weights.value_or("none");
  const auto mars = [&](const char* name, Options changes) {
    changes.insert({{"reward", "slowdown"}, {"weights", file}});
    all.push_back({name, {"mars", std::move(changes)}});
  };
  mars("mars", {});
  mars("mars cost", {{"reward", "cost"}});
  mars("mars no look-ahead", {{"ahead", "0"}, {"futures", "1"}});
  mars("mars plain orders", {{"strategies", fmt::format("{}", fmt::join(kMarsOrders, " "))}});
  if (!weights) return;  // without networks these are the whole
  mars("mars no networks", {{"weights", "none"}});
  mars("mars no update", {{"learn", "false"}});
  for (const char* backfill : {"none", "easy"})
    all.push_back({std::string(backfill) == "easy" ? "rl+easy" : "rl",
                   {"rl", {{"backfill", backfill}, {"reward", "slowdown"}, {"weights", file}}}});
}

std::optional<std::string> weights_of(const StudyRequest& request, const std::string& workload) {
  std::error_code error;
  for (const std::string& name : {workload, std::string("mars")}) {
    const std::filesystem::path path = request.weights / (name + ".safetensors");
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return std::nullopt;
}

std::vector<Method> mars_methods(const MarsPlan& plan, const StudyRequest& request) {
  std::vector<Method> all = heuristics();
  if (plan.part == MarsPart::test) add_learned(all, weights_of(request, plan.workload));
  return all;
}

/// Says how many windows have ended and how long the rest will take.
class WindowClock {
 public:
  WindowClock(const std::vector<MarsPlan>& plans, const NoteCallback& note)
      : plans_(plans), note_(note) {}

  void ended(const MarsPlan& plan, std::size_t done) const {
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    const double left =
        took / static_cast<double>(done) * static_cast<double>(plans_.size() - done);
    note_(fmt::format("study mars: {} of {}: {}, {} window {}; {:.0f} s gone, about {:.0f} s left",
                      done, plans_.size(), plan.workload, name_of(plan.part), plan.number, took,
                      left));
  }

 private:
  const std::vector<MarsPlan>& plans_;
  const NoteCallback& note_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

Result<Done> check_mars_request(const StudyRequest& request) {
  if (auto there = check_scenario(request.data / "studies" / "mars", "lublin.toml"); !there)
    return there;
  const std::vector<std::string> known = mars_workloads();
  for (const std::string& name : request.only)
    if (std::ranges::find(known, name) == known.end())
      return Error{
          fmt::format("--only: no workload '{}'; there are: {}", name, fmt::join(known, " "))};
  return Done{};
}

std::vector<MarsPlan> mars_plans(const StudyRequest& request) {
  const std::uint32_t usual = request.quick ? 5 : 25;
  const std::uint32_t test = request.windows > 0 ? request.windows : usual;
  const std::uint32_t training = std::min(kMostTrainingWindows, 5 * test);
  std::vector<MarsPlan> plans;
  for (const std::string& name : mars_workloads()) {
    if (!is_wanted(request, name)) continue;
    for (const MarsPart part : {MarsPart::training, MarsPart::test})
      std::ranges::move(draw_windows(name, part, part == MarsPart::test ? test : training),
                        std::back_inserter(plans));
  }
  return plans;
}

}  // namespace

std::vector<std::string> heuristic_names() {
  std::vector<std::string> names;
  for (Method& method : heuristics()) names.push_back(std::move(method.name));
  return names;
}

Result<MarsWindow> run_mars_window(const MarsPlan& plan, const StudyRequest& request) {
  auto runs =
      load_and_run({.scenario = request.data / "studies" / "mars" / (plan.workload + ".toml"),
                    .overrides = plan.overrides},
                   {}, mars_methods(plan, request));
  if (!runs) return std::move(runs).error();
  return MarsWindow{plan.workload, plan.part, plan.number, plan.first, *std::move(runs)};
}

Result<std::vector<MarsWindow>> run_mars_windows(const StudyRequest& request) {
  if (auto fine = check_mars_request(request); !fine) return std::move(fine).error();
  const std::vector<MarsPlan> plans = mars_plans(request);
  const WindowClock clock(plans, request.note);
  CaseLoop<MarsWindow> loop{
      .count = plans.size(), .at_once = request.threads, .run = [&](std::size_t i) {
        return run_mars_window(plans[i], request);
      }};
  if (request.note)
    loop.ended = [&](std::size_t i, std::size_t done) { clock.ended(plans[i], done); };
  if (request.save)
    loop.so_far = [&](const std::vector<MarsWindow>& some) {
      return request.save({"study.csv", mars_csv(some)});
    };
  return run_cases(loop);
}

Result<StudyResult> run_mars_study(const StudyRequest& request) {
  const auto windows = run_mars_windows(request);
  if (!windows) return windows.error();
  StudyResult result{.text = mars_text(*windows)};
  std::set<std::string> workloads;
  for (const MarsWindow& each : *windows) {
    workloads.insert(each.workload);
    result.pages.push_back(
        page_source(fmt::format("{}, {} window {}", each.workload, name_of(each.part), each.number),
                    "", each.runs));
  }
  for (const std::string& name : workloads)
    result.files.push_back({name + ".svg", mars_svg(*windows, name)});
  return result;
}

}  // namespace penstock
