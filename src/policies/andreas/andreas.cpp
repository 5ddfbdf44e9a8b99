#include "policies/andreas/andreas.h"

#include <algorithm>

#include "policies/andreas/deeds.h"
#include "policies/andreas/joint_words.h"
#include "policies/andreas/thriftier.h"
#include "policies/andreas/wide_jobs.h"
#include "solve/make_plan.h"

namespace penstock {
namespace {

bool touches_running(JointMethod method) {
  return method != JointMethod::fifo && method != JointMethod::edf &&
         method != JointMethod::priority;
}

class Andreas final : public Policy {
 public:
  Andreas(const Cluster& cluster, const AndreasOptions& options)
      : shapes_(cluster), options_(options) {}

  Decision decide(const View& view) override {
    Decision decision;
    const bool is_due = again_ && view.now >= *again_;
    if (view.happened.empty() && !is_due) {  // somebody else had asked for the time
      decision.ask_again = again_;
      return decision;
    }
    const double interval = until_next(view);
    const WidePlan wide = plan_wide_jobs(view, shapes_, touches_running(options_.plan.method),
                                         options_.instance.window);
    const Instance instance = make_instance(view, shapes_, wide.use, interval, options_.instance);
    JointSettings settings = options_.plan;
    settings.seed += decisions_++;
    const JointResult result = make_plan(instance.problem, settings);
    carry_out(view, instance, result.jobs, wide.starts, decision);
    if (view.explain) say_joint_plan(view, instance, result.jobs, wide, decision);
    again_.reset();
    if (touches_running(settings.method))
      if (const auto wait =
              until_thriftier(instance.problem, result.jobs, seconds(view.state.costs().restart)))
        again_ = view.now + ceil_duration(*wait);
    decision.ask_again = again_;
    return decision;
  }

 private:
  /// Seconds to the next decision, judged by those between the last ones; a restart at least.
  double until_next(const View& view) {
    constexpr double kNewest = 0.1;
    if (last_ && view.now > *last_) {
      const double gap = std::min(seconds(view.now - *last_), 86'400.0);
      gap_ += kNewest * (gap - gap_);
    }
    last_ = view.now;
    constexpr double kCaution = 0.7;
    return std::max({kCaution * gap_, 1.05 * seconds(view.state.costs().restart), 1.0});
  }

  Shapes shapes_;
  AndreasOptions options_;
  std::optional<Time> last_;
  double gap_ = 300;  ///< mean seconds between decisions
  std::uint64_t decisions_ = 0;
  std::optional<Time> again_;  ///< it plans anew then, whatever happens
};

}  // namespace

std::unique_ptr<Policy> make_andreas(const Cluster& cluster, const AndreasOptions& options) {
  return std::make_unique<Andreas>(cluster, options);
}

}  // namespace penstock
