#include "learn/mars/online_learner.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr double kNewestWeight = 0.05;  ///< of the newest comparison

PpoSettings online_ppo() {
  PpoSettings settings;
  settings.policy_rate = 1e-4;
  settings.policy_iterations = 5;
  settings.value_iterations = 5;
  return settings;
}

}  // namespace

NetChooser::NetChooser(const NetShape& shape, std::uint32_t most)
    : observer_(most), windows_(shape.item_features, shape.global_features) {}

std::uint32_t NetChooser::choose(const ActorCritic& net, const QueueWorld& world) {
  windows_.clear();
  windows_.add(observer_.look(world));
  net.logits(windows_, logits_);
  item_ = 0;
  confidence_ = 0;
  if (!chances_.set(std::span<const float>(logits_))) return world.ready().front();
  item_ = chances_.best();
  confidence_ = chances_.probability(item_);
  return observer_.tasks()[item_];
}

OnlineLearner::OnlineLearner(NamedNetwork member, const OnlineLearnerRules& rules, const Rng& rng)
    : name_(std::move(member.name)),
      rules_(rules),
      ppo_(member.net, online_ppo(), rng),
      chooser_(member.net.shape(), rules.window) {}

std::uint32_t OnlineLearner::act(const QueueWorld& world) {
  const std::uint32_t task = choose(world);
  if (!rules_.learns || chooser_.confidence() == 0) return task;
  std::vector<float> value;
  ppo_.net().values(chooser_.seen(), value);
  const Window seen = chooser_.seen()[0];
  steps_.push_back({.items = {seen.items.begin(), seen.items.end()},
                    .globals = {seen.globals.begin(), seen.globals.end()},
                    .taken = {.action = chooser_.item(),
                              .log_probability = chooser_.log_probability(),
                              .value = value.front()}});
  return task;
}

void OnlineLearner::on_started(JobId job, double cost) {
  if (!rules_.learns || steps_.empty()) return;
  ++steps_.back().open;
  jobs_[job] = {.step = first_ + steps_.size() - 1, .cost = cost};
}

void OnlineLearner::on_ended(const JobFeedback& feedback) {
  const auto job = jobs_.find(feedback.job);
  if (job == jobs_.end()) return;
  const double loss = job->second.cost * feedback.slowdown;
  ++losses_seen_;
  mean_loss_ +=
      (loss - mean_loss_) / static_cast<double>(std::min<std::uint64_t>(losses_seen_, 1000));
  Step& step = steps_[job->second.step - first_];
  step.reward -= loss / std::max(mean_loss_, 1e-12);
  --step.open;
  jobs_.erase(job);
  learn_if_enough();
}

void OnlineLearner::learn_if_enough() {
  if (steps_.size() < rules_.batch) return;
  const auto end = steps_.begin() + rules_.batch;
  if (std::any_of(steps_.begin(), end, [](const Step& step) { return step.open > 0; })) return;
  const NetShape& shape = ppo_.net().shape();
  Rollout rollout(shape.item_features, shape.global_features, 1);
  for (auto step = steps_.begin(); step != end; ++step) {
    rollout.add(0, {.items = step->items, .globals = step->globals}, step->taken);
    rollout.reward(0, step->reward);
  }
  rollout.cut(0, end == steps_.end() ? 0 : end->taken.value);
  // An update that fails leaves the network as it was.
  (void)ppo_.update(rollout);
  steps_.erase(steps_.begin(), end);
  first_ += rules_.batch;
}

void OnlineLearner::compare(double own, double best) {
  const double behind = best > 0 ? own / best - 1 : 0;
  ++compared_;
  record_ += (behind - record_) * std::max(kNewestWeight, 1.0 / compared_);
  const bool is_tried = compared_ >= rules_.trials;
  benched_ = !is_tried || record_ > (benched_ ? 0 : rules_.tolerance);
  pause_ = benched_ && is_tried ? rules_.bench_pause : 0;
}

bool OnlineLearner::is_due() {
  if (pause_ == 0) return true;
  --pause_;
  return pause_ == 0;
}

}  // namespace penstock
