#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "policy/policy.h"
#include "worlds/sketch.h"

namespace penstock {

/// Does random legal things to jobs and nodes, many at the same instant, until it tires;
/// then it only starts what waits, so that every run ends. Writes down the bills it was shown.
class Restless final : public Policy {
 public:
  struct Meter {
    Time now{};
    Bill bill{};
  };

  /// `moves` is how many things it does before it tires; `pause` how long it rests at most.
  Restless(std::uint64_t seed, std::uint32_t moves, Duration pause)
      : rng_(Rng(seed).stream("restless")), moves_(moves), pause_(pause) {}

  const std::vector<Meter>& meters() const { return meters_; }

  Decision decide(const View& view) override {
    meters_.push_back({view.now, view.so_far});
    Sketch sketch(view);
    Decision decision;
    const std::uint64_t most = std::min<std::uint64_t>(moves_, rng_.below(6));
    for (std::uint64_t i = 0; i < most; ++i) {
      --moves_;
      if (auto action = random_action(sketch)) sketch.add(std::move(*action), decision);
    }
    for (const JobState& waiting : view.state.queue())
      if (moves_ == 0 || chance(0.5)) start(waiting, sketch, decision);
    // Whom it has stopped last must be started, too.
    if (moves_ > 0 || most > 0) decision.ask_again = view.now + Duration(1 + below(pause_.count()));
    return decision;
  }

 private:
  std::uint64_t below(std::int64_t n) { return rng_.below(static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return rng_.uniform() < p; }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[rng_.below(all.size())];
  }

  /// Nothing if what came to its mind is not possible.
  std::optional<Action> random_action(Sketch& sketch) {
    if (chance(0.15)) return random_rest(sketch);
    const std::vector<JobId> running = sketch.running();
    if (running.empty()) return std::nullopt;
    const JobId job = any(running);
    switch (below(6)) {
      case 0:
        return random_migration(job, sketch);
      case 1:
        return random_clock(job, sketch);
      case 2:
        return random_batch(job, sketch);
      case 3:
        return Preempt{job};
      default:
        return random_resize(job, sketch);
    }
  }

  std::optional<Action> random_rest(Sketch& sketch) {
    const NodeId node = any(sketch.nodes());
    if (sketch.phase(node) == NodePhase::asleep) return Wake{node};
    if (sketch.phase(node) == NodePhase::awake && sketch.is_empty(node)) return Sleep{node};
    return std::nullopt;
  }

  std::optional<Action> random_resize(JobId id, Sketch& sketch) {
    const Job& job = sketch.job(id);
    if (!job.kind_id) return std::nullopt;
    const auto pool = sketch.pool_at(any(sketch.nodes()), job, sketch.site_of(id));
    if (!pool) return std::nullopt;
    const Profile& profile = *sketch.models().find(job, pool->type);
    const auto gpus = static_cast<std::uint32_t>(1 + below(profile.gpus_most));
    const double batch = some_batch(profile, job, gpus);
    if (!runs(profile, {.gpus = gpus, .batch = batch})) return std::nullopt;
    auto where = place(sketch.free_in(*pool, id), gpus, sketch);
    if (!where) return std::nullopt;
    return Resize{id, std::move(*where), {some_clock(sketch.type(pool->type)), batch}};
  }

  std::optional<Action> random_migration(JobId id, Sketch& sketch) {
    const Sketch::Place& now = sketch.place_of(id);
    const auto pool = sketch.pool_at(any(sketch.nodes()), sketch.job(id), sketch.site_of(id));
    if (!pool) return std::nullopt;
    const GpuType& type = sketch.type(pool->type);
    const bool clock_fits = sketch.job(id).kind_id ? has_clock(type, now.clock_mhz)
                                                   : type.max_clock_mhz == now.clock_mhz;
    if (!clock_fits) return std::nullopt;
    const Config config{.gpus = gpu_count(now.where), .batch = now.batch};
    if (!sketch.allows(id, pool->type, config)) return std::nullopt;
    auto where = place(sketch.free_in(*pool, id), config.gpus, sketch);
    if (!where) return std::nullopt;
    return Migrate{id, std::move(*where)};
  }

  std::optional<Action> random_clock(JobId id, Sketch& sketch) {
    if (!sketch.job(id).kind_id) return std::nullopt;
    return SetClock{id, some_clock(sketch.type(sketch.type_of(id)))};
  }

  std::optional<Action> random_batch(JobId id, Sketch& sketch) {
    const Profile* profile = sketch.models().find(sketch.job(id), sketch.type_of(id));
    if (profile == nullptr) return std::nullopt;
    const std::uint32_t gpus = gpu_count(sketch.place_of(id).where);
    const double batch = some_batch(*profile, sketch.job(id), gpus);
    if (!runs(*profile, {.gpus = gpus, .batch = batch})) return std::nullopt;
    return SetBatch{id, batch};
  }

  void start(const JobState& waiting, Sketch& sketch, Decision& decision) {
    const Job& job = waiting.job;
    for (const NodeId node : sketch.nodes()) {
      const auto pool = sketch.pool_at(node, job, std::nullopt);
      if (!pool) continue;
      Knobs knobs;
      std::uint32_t gpus = job.gpus;
      const Profile* profile = sketch.models().find(job, pool->type);
      if (profile != nullptr && moves_ > 0) {
        const auto other = static_cast<std::uint32_t>(1 + below(profile->gpus_most));
        const double batch = some_batch(*profile, job, other);
        knobs.clock_mhz = some_clock(sketch.type(pool->type));
        if (runs(*profile, {.gpus = other, .batch = batch})) {
          gpus = other;
          knobs.batch = batch;
        }
      }
      auto where = place(sketch.free_in(*pool, std::nullopt), gpus, sketch);
      if (!where) continue;
      sketch.add(Start{job.id, std::move(*where), knobs}, decision);
      return;
    }
  }

  std::uint32_t some_clock(const GpuType& type) {
    const std::uint32_t steps = (type.max_clock_mhz - type.min_clock_mhz) / type.clock_step_mhz;
    return type.max_clock_mhz -
           static_cast<std::uint32_t>(rng_.below(steps + 1)) * type.clock_step_mhz;
  }

  /// More than memory holds is computed in parts. A sample for each GPU may be more than a job has.
  double some_batch(const Profile& profile, const Job& job, std::uint32_t gpus) {
    if (!adapts_batch(profile) || chance(0.2)) return job.batch;
    const double least = std::max(profile.batch.least, double(gpus));
    const double most = profile.batch.most;
    if (least > most) return job.batch;
    return std::round(least + (most - least) * rng_.uniform());
  }

  /// Any of the free GPUs; neighbours are not always taken as one range.
  std::optional<Placement> place(std::vector<GpuId> free, std::uint32_t gpus,
                                 const Sketch& sketch) {
    if (free.size() < gpus) return std::nullopt;
    const bool anywhere = chance(0.5);
    while (free.size() > gpus)
      free.erase(anywhere ? free.begin() + static_cast<std::ptrdiff_t>(rng_.below(free.size()))
                          : std::prev(free.end()));
    Placement where;
    for (const GpuId gpu : free) {
      const bool extends = !where.empty() && chance(0.9) && sketch.extends(where.back(), gpu);
      if (extends)
        ++where.back().count;
      else
        where.push_back({gpu, 1});
    }
    return where;
  }

  Rng rng_;
  std::uint32_t moves_;
  Duration pause_;
  std::vector<Meter> meters_;
};

}  // namespace penstock
