#include "sim/kinds.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace penstock {
namespace {

/// A profile as it might really be: each parameter drawn around the believed one.
Profile disturbed(const Profile& profile, double spread, Rng rng) {
  Profile truth = profile;
  if (spread == 0) return truth;
  const auto factor = [&] { return std::exp(rng.normal(0, spread)); };
  for (double& seconds : truth.epoch_seconds) seconds *= factor();
  if (truth.is_front()) {
    const double longer = factor();
    const double more = factor();
    for (FrontPoint& point : truth.front)
      point = {.seconds = point.seconds * longer, .joules = point.joules * more};
  }
  for (double* parameter : {&truth.speed.alpha_c, &truth.speed.beta_c, &truth.speed.alpha_r,
                            &truth.speed.beta_r, &truth.speed.alpha_n, &truth.speed.beta_n})
    *parameter *= factor();
  truth.speed.gamma = std::min(10.0, 1 + (truth.speed.gamma - 1) * factor());
  truth.speed.delta = std::min(1.0, truth.speed.delta * factor());
  for (Watts* parameter : {&truth.power.p0, &truth.power.p1, &truth.power.p3, &truth.power.p1_sync})
    *parameter = *parameter * factor();
  return truth;
}

/// The batch that its user named, or that a live run takes for usual: nobody knows whether its
/// program accumulates gradients.
double batch_as_it_ran(const Job& job, Profile profile) {
  if (job.batch > 0) return job.batch;
  profile.batch.accumulates = false;
  return asked_batch(profile, 0, job.gpus);
}

}  // namespace

Kinds::Kinds(const std::vector<Profile>& profiles, const Cluster& cluster, const TruthSpec& truth,
             std::uint64_t seed)
    : rng_(Rng(seed).stream("kinds")),
      job_rng_(Rng(seed).stream("jobs")),
      jobs_(truth.jobs),
      believed_(cluster.types.size()),
      truth_(cluster.types.size()),
      known_(cluster.types.size()),
      node_gpus_(cluster.types.size(), 1),
      types_(cluster.types) {
  for (const Node& node : cluster.nodes)
    node_gpus_[node.type.index] = std::max(node_gpus_[node.type.index], node.gpus);
  const Rng chance = Rng(seed).stream("truth");
  for (const Profile& profile : profiles) {
    const auto type = std::ranges::find(cluster.types, profile.gpu, &GpuType::name);
    if (type == cluster.types.end()) continue;
    const GpuTypeId type_id{static_cast<std::uint32_t>(type - cluster.types.begin())};
    const auto named = names_.find(profile.name);
    const KindId kind = named ? *named : add_kind(profile);
    known_[type_id.index].push_back(kind);
    truth_.set(kind, type_id,
               disturbed(profile, truth.spread,
                         chance.stream(lower_case(profile.name) + " on " + profile.gpu)));
    believed_.set(kind, type_id, profile);
  }
}

KindId Kinds::add_kind(const Profile& profile) {
  const KindId kind = believed_.add_kind();
  truth_.add_kind();
  names_.add(profile, kind);
  return kind;
}

bool Kinds::is_named(const std::string& kind) const {
  return names_.find(kind).has_value();
}

/// The first of the cluster's types that the job may use and that has models.
std::optional<GpuTypeId> Kinds::type_for(const Job& job) const {
  for (std::uint32_t i = 0; i < known_.size(); ++i)
    if ((job.gpu_types >> i & 1) != 0 && !known_[i].empty()) return GpuTypeId{i};
  return std::nullopt;
}

/// What the trace calls the job, if that is known on the type.
std::optional<KindId> Kinds::named_kind(const Job& job, GpuTypeId type) const {
  const auto named = names_.find(job.kind);
  return named && believed_.find(*named, type) != nullptr ? named : std::nullopt;
}

KindId Kinds::drawn_kind(const Job& job, GpuTypeId type) const {
  const std::vector<KindId> able = able_kinds(job.gpus, type);
  Rng rng = rng_.stream(job.id.index);
  return able[rng.below(able.size())];
}

/// The kinds that were measured on so many GPUs, or if none was, those measured on most. One that
/// needs more GPUs is left out, if there are others.
std::vector<KindId> Kinds::able_kinds(std::uint32_t gpus, GpuTypeId type) const {
  std::vector<KindId> able = known_[type.index];
  std::erase_if(able, [&](KindId kind) { return believed_.find(kind, type)->gpus_least > gpus; });
  if (able.empty()) able = known_[type.index];
  const auto most = [&](KindId kind) { return believed_.find(kind, type)->gpus_most; };
  std::uint32_t needed = 0;
  for (const KindId kind : able) needed = std::max(needed, std::min(most(kind), gpus));
  std::erase_if(able, [&](KindId kind) { return most(kind) < needed; });
  return able;
}

/// Types that do not know the kind cannot run it.
void Kinds::keep_known_types(Job& job) const {
  for (std::uint32_t i = 0; i < known_.size(); ++i)
    if (truth_.find(*job.kind_id, GpuTypeId{i}) == nullptr) job.gpu_types &= ~(1ull << i);
}

/// The run's own type; where the cluster has none of that name, the first that knows the kind.
std::optional<GpuTypeId> Kinds::type_of(const RealRun& run, KindId kind) const {
  std::optional<GpuTypeId> first;
  for (std::uint32_t i = 0; i < types_.size(); ++i) {
    if (truth_.find(kind, GpuTypeId{i}) == nullptr) continue;
    if (lower_case(types_[i].name) == lower_case(run.type)) return GpuTypeId{i};
    if (!first) first = GpuTypeId{i};
  }
  return first;
}

Speed Kinds::speed_of(const RealRun& run, const Job& job, GpuTypeId type) const {
  const std::uint32_t highest = types_[type.index].max_clock_mhz;
  Config config{.gpus = run.gpus,
                .nodes = std::clamp(run.nodes, 1u, run.gpus),
                .batch = run.batch > 0 ? run.batch : job.batch};
  if (highest > 0 && run.clock_mhz > 0)
    config.clock = std::min(1.0, static_cast<double>(run.clock_mhz) / highest);
  return Speed(throughput(*truth_.find(*job.kind_id, type), config) / 1e3);
}

namespace {

struct GpuBounds {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
};

/// The profile of a job that keeps its batch, on numbers of GPUs between these. A pipeline has no
/// other number of them.
Profile within_bounds(Profile profile, const GpuBounds& bounds, double batch) {
  if (profile.is_front()) return profile;
  profile.gpus_most = std::max(std::min(profile.gpus_most, bounds.most), 1u);
  profile.gpus_least = std::min(std::max(profile.gpus_least, bounds.least), profile.gpus_most);
  if (profile.is_table() && profile.epoch_seconds.size() > bounds.most)
    profile.epoch_seconds.resize(bounds.most);
  profile.batch.least = profile.batch.most = batch;
  profile.batch.accumulates = false;
  return profile;
}

}  // namespace

/// The kind that scales as `kind` does, within the bounds of one job.
KindId Kinds::bounded(KindId kind, const TracedJob& traced) {
  const std::uint32_t least = traced.gpus_least > 0 ? traced.gpus_least : traced.job.gpus;
  const std::uint32_t most = traced.gpus_most > 0 ? traced.gpus_most : traced.job.gpus;
  const auto [at, fresh] = bounded_.try_emplace({kind, least, most, traced.job.batch});
  if (!fresh) return at->second;
  at->second = believed_.add_kind();
  truth_.add_kind();
  for (Models* models : {&believed_, &truth_})
    for (std::uint32_t i = 0; i < types_.size(); ++i) {
      const Profile* known = models->find(kind, GpuTypeId{i});
      if (known == nullptr) continue;
      models->set(at->second, GpuTypeId{i}, within_bounds(*known, {least, most}, traced.job.batch));
    }
  return at->second;
}

void Kinds::give_as_it_ran(TracedJob& traced) {
  Job& job = traced.job;
  const auto named = names_.find(job.kind);
  if (!named) return;
  const auto type = type_of(traced.runs.front(), *named);
  if (!type) return;
  job.batch = batch_as_it_ran(job, *truth_.find(*named, *type));
  job.kind_id = bounded(*named, traced);
  keep_known_types(job);
  traced.work = Work{};
  for (const RealRun& run : traced.runs)
    traced.work += speed_of(run, job, type_of(run, *job.kind_id).value_or(*type)) * run.worked;
  const std::uint32_t nodes = (job.gpus + node_gpus_[type->index] - 1) / node_gpus_[type->index];
  const Speed asked = speed_of({.gpus = job.gpus, .nodes = nodes}, job, *type);
  if (job.work > Work{})  // its user says how much it has to do
    job.requested = std::max(job.work / asked, Duration(1));
  else
    job.work = asked * job.requested;
}

void Kinds::give(TracedJob& traced) const {
  Job& job = traced.job;
  const auto type = type_for(job);
  if (!type) return;
  const auto named = named_kind(job, *type);
  job.kind_id = named ? *named : drawn_kind(job, *type);
  const Profile& truth = *truth_.find(*job.kind_id, *type);
  const Profile& counted = truth.is_table() ? *believed_.find(*job.kind_id, *type) : truth;
  job.batch = asked_batch(truth, named ? job.batch : 0, job.gpus);
  keep_known_types(job);
  const std::uint32_t nodes = (job.gpus + node_gpus_[type->index] - 1) / node_gpus_[type->index];
  const Config asked{.gpus = job.gpus, .nodes = nodes, .batch = job.batch};
  const Speed speed(throughput(counted, asked) / 1e3);
  traced.work = speed * traced.actual * work_factor(job.id);
  job.work = speed * job.requested;
}

/// By how much the work of a job differs from what its user says, 1 on average.
double Kinds::work_factor(JobId job) const {
  if (jobs_ == 0) return 1;
  Rng rng = job_rng_.stream(job.index);
  return std::exp(rng.normal(-jobs_ * jobs_ / 2, jobs_));
}

}  // namespace penstock
