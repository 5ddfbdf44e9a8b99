#include "app/study_mars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "experiment/comparison.h"

namespace penstock {
namespace {

constexpr auto kOrders = std::to_array<const char*>(
    {"fifo", "sjf", "smallest", "wfp3", "unicep", "f1", "f2", "f3", "f4"});
constexpr std::uint32_t kMostTrainingWindows = 25;

struct Method {
  std::string name{};
  PolicyChoice choice{};
};

std::vector<Method> heuristics() {
  std::vector<Method> all;
  for (const char* order : kOrders) {
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
  mars("mars plain orders", {{"strategies", fmt::format("{}", fmt::join(kOrders, " "))}});
  if (!weights) return;  // without networks these are the whole
  mars("mars no networks", {{"weights", "none"}});
  mars("mars no update", {{"learn", "false"}});
  for (const char* backfill : {"none", "easy"})
    all.push_back({std::string(backfill) == "easy" ? "rl+easy" : "rl",
                   {"rl", {{"backfill", backfill}, {"reward", "slowdown"}, {"weights", file}}}});
}

std::optional<std::string> weights_of(const MarsRequest& study, const std::string& workload) {
  std::error_code trouble;
  for (const std::string& name : {workload, std::string("mars")}) {
    const std::filesystem::path path = study.weights / (name + ".safetensors");
    if (std::filesystem::exists(path, trouble)) return path.string();
  }
  return std::nullopt;
}

std::vector<Method> methods_of(const WindowPlan& plan, const MarsRequest& study) {
  std::vector<Method> all = heuristics();
  if (plan.part == Part::test) add_learned(all, weights_of(study, plan.workload));
  return all;
}

Result<MarsWindow> run_window(const WindowPlan& plan, const MarsRequest& study) {
  const std::vector<Method> all = methods_of(plan, study);
  ExperimentSpec spec{.scenario = study.folder / (plan.workload + ".toml"),
                      .overrides = plan.overrides};
  for (const Method& method : all) spec.policies.push_back(method.choice);
  const auto experiment = load_experiment(spec);
  if (!experiment) return experiment.error();
  auto comparison = run_experiment(*experiment, {});
  if (!comparison) return std::move(comparison).error();
  MarsWindow window{plan.workload, plan.part, plan.number, plan.first, {}};
  for (std::size_t i = 0; i < all.size(); ++i)
    window.runs.push_back({all[i].name, std::move(comparison->runs[i].summary)});
  return window;
}

/// What has been done: windows in the order of their plans, and a line for each that ends.
class Ledger {
 public:
  Ledger(const MarsRequest& study, const std::vector<WindowPlan>& plans)
      : study_(study), plans_(plans), windows_(plans.size()) {}

  /// The number of the next plan to be carried out; none if all are or something failed.
  std::optional<std::size_t> next() {
    const std::scoped_lock lock(mutex_);
    if (trouble_ || next_ == plans_.size()) return std::nullopt;
    return next_++;
  }

  void ended(std::size_t plan, Result<MarsWindow> window) {
    const std::scoped_lock lock(mutex_);
    if (trouble_) return;
    if (!window) {
      trouble_ = std::move(window).error();
      return;
    }
    windows_[plan] = *std::move(window);
    ++done_;
    if (study_.progress) say(plans_[plan]);
    if (!study_.after_each) return;
    if (auto fine = study_.after_each(so_far()); !fine) trouble_ = std::move(fine).error();
  }

  Result<std::vector<MarsWindow>> all() const {
    if (trouble_) return *trouble_;
    return so_far();
  }

 private:
  std::vector<MarsWindow> so_far() const {
    std::vector<MarsWindow> some;
    for (const std::optional<MarsWindow>& window : windows_)
      if (window) some.push_back(*window);
    return some;
  }

  void say(const WindowPlan& plan) const {
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    const double left =
        took / static_cast<double>(done_) * static_cast<double>(plans_.size() - done_);
    fmt::print(stderr,
               "study mars: {} of {}: {}, {} window {}; {:.0f} s gone, about {:.0f} s left\n",
               done_, plans_.size(), plan.workload, name_of(plan.part), plan.number, took, left);
  }

  const MarsRequest& study_;
  const std::vector<WindowPlan>& plans_;
  std::vector<std::optional<MarsWindow>> windows_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::optional<Error> trouble_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// Results are in the order of plans; after an error no further window begins.
Result<std::vector<MarsWindow>> run_windows(const std::vector<WindowPlan>& plans,
                                            const MarsRequest& study) {
  Ledger ledger(study, plans);
  const auto work = [&] {
    for (auto plan = ledger.next(); plan; plan = ledger.next())
      ledger.ended(*plan, run_window(plans[*plan], study));
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min<std::size_t>(study.threads, plans.size()); ++i)
      workers.emplace_back(work);
  }
  return ledger.all();
}

Result<Done> check_request(const MarsRequest& request) {
  std::error_code trouble;
  if (!std::filesystem::exists(request.folder / "lublin.toml", trouble))
    return Error{
        fmt::format("{}: there are no scenarios of the study; run penstock where data/ is, "
                    "or name that folder with --data",
                    request.folder.string())};
  const std::vector<std::string> known = mars_workloads();
  for (const std::string& name : request.only)
    if (std::ranges::find(known, name) == known.end())
      return Error{
          fmt::format("--only: no workload '{}'; there are: {}", name, fmt::join(known, " "))};
  return Done{};
}

}  // namespace

std::vector<std::string> heuristic_names() {
  std::vector<std::string> names;
  for (Method& method : heuristics()) names.push_back(std::move(method.name));
  return names;
}

Result<std::vector<MarsWindow>> study_mars(const MarsRequest& request) {
  if (auto fine = check_request(request); !fine) return std::move(fine).error();
  const std::uint32_t training = std::min(kMostTrainingWindows, 5 * request.windows);
  std::vector<WindowPlan> plans;
  for (const std::string& name : mars_workloads()) {
    if (!request.only.empty() && std::ranges::find(request.only, name) == request.only.end())
      continue;
    for (const Part part : {Part::training, Part::test})
      std::ranges::move(draw_windows(name, part, part == Part::test ? request.windows : training),
                        std::back_inserter(plans));
  }
  return run_windows(plans, request);
}

}  // namespace penstock
