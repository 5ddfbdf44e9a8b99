#include "experiment/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/check.h"
#include "fit/refitting_learner.h"
#include "io/text/nearest.h"
#include "journal/journal_trace.h"

namespace penstock {
namespace {

/// The cluster's types among "A|B"; all of them for an empty text.
std::uint64_t types_named(std::string_view spec, const Cluster& cluster) {
  if (spec.empty()) return ~0ull;
  std::uint64_t types = 0;
  while (!spec.empty()) {
    const std::size_t bar = std::min(spec.find('|'), spec.size());
    for (std::size_t i = 0; i < cluster.types.size(); ++i)
      if (equal_ignoring_case(spec.substr(0, bar), cluster.types[i].name)) types |= 1ull << i;
    spec.remove_prefix(std::min(bar + 1, spec.size()));
  }
  return types;
}

/// The most whole GPUs of the allowed types that one job can get, at any one site.
class LargestPools {
 public:
  explicit LargestPools(const Cluster& cluster) {
    for (const Node& node : cluster.nodes)
      gpus_[{node.site.index, node.type.index}] += node.gpus / cluster.share;
  }
  std::uint32_t most(std::uint64_t types) const {
    std::uint32_t most = 0;
    for (const auto& [pool, gpus] : gpus_)
      if ((types >> pool.second & 1) != 0) most = std::max(most, gpus);
    return most;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> gpus_;
};

std::string describe_misfit(const TracedJob& traced, std::uint32_t most) {
  const std::string name =
      traced.job.name.empty() ? std::to_string(traced.job.id.index) : traced.job.name;
  if (most == 0)
    return fmt::format("job '{}' asks for GPU types '{}', of which the cluster has none", name,
                       traced.gpu_spec);
  return fmt::format("job '{}' asks for {} GPUs; at most {} can be had in one place", name,
                     traced.job.gpus, most);
}

/// Takes the marked jobs out and numbers the rest anew. Children of a job that is
/// taken out wait for its parents instead.
void remove_marked(std::vector<TracedJob>& jobs, const std::vector<bool>& marked) {
  std::vector<std::uint32_t> number(jobs.size(), 0);
  std::map<JobId, std::vector<JobId>> parents_of_marked;  // all by their old numbers
  const auto bridged = [&](const std::vector<JobId>& parents) {
    std::set<JobId> all;
    for (const JobId parent : parents) {
      const auto gone = parents_of_marked.find(parent);
      if (gone == parents_of_marked.end())
        all.insert(parent);
      else
        all.insert(gone->second.begin(), gone->second.end());
    }
    return std::vector<JobId>(all.begin(), all.end());
  };
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs[i].job;
    job.parents = bridged(job.parents);
    number[i] = kept;
    if (marked[i]) {
      parents_of_marked[job.id] = job.parents;
      continue;
    }
    job.id = JobId{kept};
    for (JobId& parent : job.parents) parent = JobId{number[parent.index]};
    if (i != kept) jobs[kept] = std::move(jobs[i]);
    ++kept;
  }
  jobs.resize(kept);
}

void assign_gpu_types(Workload& workload, const Cluster& cluster) {
  std::map<std::string, std::uint64_t, std::less<>> known_specs;
  for (TracedJob& traced : workload.jobs) {
    auto spec = known_specs.find(traced.gpu_spec);
    if (spec == known_specs.end())
      spec = known_specs.emplace(traced.gpu_spec, types_named(traced.gpu_spec, cluster)).first;
    traced.job.gpu_types = spec->second;
  }
}

/// Gives each job the site where the journal of several sites found it as its home, if files have
/// to travel.
void assign_homes(Workload& workload, const Cluster& cluster) {
  if (cluster.network.empty()) return;
  for (TracedJob& traced : workload.jobs)
    for (std::uint32_t i = 0; !traced.runs.empty() && i < cluster.sites.size(); ++i)
      if (cluster.sites[i].name == traced.runs.front().site) traced.job.home = SiteId{i};
}

/// Refuses jobs that fit no site, or drops them if the scenario says so. `file` is where the jobs
/// came from.
Result<Done> fit_to_machines(Workload& workload, const Scenario& scenario,
                             const std::string& file) {
  const LargestPools pools(scenario.cluster);
  std::vector<bool> misfit(workload.jobs.size(), false);
  std::uint64_t misfits = 0;
  std::string first;
  std::map<std::uint64_t, std::uint32_t> most_of;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const TracedJob& traced = workload.jobs[i];
    const std::uint64_t types = traced.job.gpu_types;
    auto most = most_of.find(types);
    if (most == most_of.end()) most = most_of.emplace(types, pools.most(types)).first;
    if (traced.job.gpus <= most->second) continue;
    misfit[i] = true;
    if (++misfits == 1) first = describe_misfit(traced, most->second);
  }
  if (misfits == 0) return Done{};
  if (!scenario.workload.drop_oversized)
    return Error{
        fmt::format("{}: {} {} can never run: {}; possible: a larger site, workload.gpus_max or "
                    "workload.oversized = \"drop\"",
                    file, misfits, misfits == 1 ? "job" : "jobs", first)};
  remove_marked(workload.jobs, misfit);
  workload.notes.push_back(fmt::format("dropped {} {} that can never run: {}", misfits,
                                       misfits == 1 ? "job" : "jobs", first));
  if (workload.jobs.empty()) return Error{"no job of the workload fits the cluster"};
  return Done{};
}

void note_dropped_rows(const TraceReport& report, std::vector<std::string>& notes) {
  for (const std::string& note : report.notes) notes.push_back(report.file + ": " + note);
  for (const auto* list : {&report.bad, &report.left_out})
    for (const DroppedRows& dropped : *list)
      notes.push_back(fmt::format("{}: {} {} left out: {}", report.file, dropped.count,
                                  dropped.count == 1 ? "row" : "rows", dropped.reason));
}

Result<Workload> load_trace(const Scenario& scenario) {
  const WorkloadSpec& spec = scenario.workload;
  TraceOptions options = spec.options;
  options.restart = scenario.costs.restart;
  auto trace = spec.andreas     ? draw_andreas(*spec.andreas, scenario.cluster, spec.options)
               : spec.workflows ? draw_workflows(*spec.workflows, spec.options)
                                : read_any_trace(*spec.trace, spec.format, options);
  if (!trace) return std::move(trace).error();
  Workload workload;
  workload.jobs = std::move(trace->jobs);
  note_dropped_rows(trace->report, workload.notes);
  assign_gpu_types(workload, scenario.cluster);
  assign_homes(workload, scenario.cluster);
  if (spec.origins) {
    // Before any are left out: what a job draws goes by its number in the trace.
    const Origins origins(*spec.origins, scenario.cluster);
    for (TracedJob& traced : workload.jobs) origins.give(traced);
  }
  if (auto fitted = fit_to_machines(workload, scenario, trace->report.file); !fitted)
    return std::move(fitted).error();
  for (TracedJob& traced : workload.jobs) traced.job.gpus *= scenario.cluster.share;
  workload.start = workload.jobs.front().job.submitted;
  workload.count = workload.jobs.size();
  if (auto covered = check_coverage(scenario, workload.start, workload.jobs.back().job.submitted);
      !covered)
    return std::move(covered).error();
  return workload;
}

std::uint32_t largest_size(const GeneratorSpec& spec) {
  if (spec.lublin_machine) return *spec.lublin_machine;
  std::uint32_t largest = 0;
  for (const auto& share : spec.sizes) largest = std::max(largest, share.gpus);
  return largest;
}

Result<Workload> prepare_generator(const Scenario& scenario) {
  Workload workload;
  workload.spec = *scenario.workload.generate;
  const std::uint32_t most = LargestPools(scenario.cluster).most(~0ull);
  const std::uint32_t largest = largest_size(*workload.spec);
  if (largest > most)
    return Error{
        fmt::format("workload.generate: it makes jobs of {} GPUs; at most {} can be had "
                    "in one place",
                    largest, most)};
  workload.start = GeneratedSource(*workload.spec).next()->job.submitted;
  workload.count = workload.spec->jobs;
  if (scenario.workload.origins)
    workload.origins = std::make_unique<Origins>(*scenario.workload.origins, scenario.cluster);
  if (auto covered = check_coverage(scenario, workload.start, workload.start); !covered)
    return std::move(covered).error();
  return workload;
}

/// Every GPU type in use must have models, so that no job depends on where it comes to lie.
Result<Done> check_types(const Kinds& kinds, const Scenario& scenario) {
  for (std::uint32_t i = 0; i < scenario.cluster.types.size(); ++i) {
    if (scenario.workload.guessed && kinds.known_on(GpuTypeId{i}).size() == 1)
      return Error{
          fmt::format("workload.belief: a kind is guessed at by others, and '{}' has models of "
                      "only one; possible: workload.belief = \"catalogue\"",
                      scenario.cluster.types[i].name)};
    if (!kinds.known_on(GpuTypeId{i}).empty()) continue;
    std::set<std::string> there;
    for (const Profile& profile : scenario.workload.profiles) there.insert(profile.gpu);
    return Error{
        fmt::format("workload.{}: there are no models for GPU type '{}'; there are some for: {}",
                    scenario.workload.andreas ? "trace" : "profiles",
                    scenario.cluster.types[i].name, fmt::join(there, " "))};
  }
  return Done{};
}

/// How much work a job is depends on the GPUs on which it took its time.
void note_type_of_run_times(Workload& workload, const Scenario& scenario) {
  const std::vector<GpuType>& types = scenario.cluster.types;
  if (types.size() < 2 || scenario.workload.andreas) return;
  workload.notes.push_back(
      fmt::format("the trace's run times are taken as measured on '{}', the first GPU type of "
                  "[[site.nodes]], or for jobs that may not run there on the next",
                  types.front().name));
}

Result<Done> assign_models(Workload& workload, const Scenario& scenario) {
  const WorkloadSpec& spec = scenario.workload;
  if (spec.profiles.empty()) return Done{};
  workload.kinds = std::make_unique<Kinds>(spec.profiles, scenario.cluster,
                                           TruthSpec{.spread = spec.truth_spread,
                                                     .instrument = spec.instrument_spread,
                                                     .jobs = spec.job_spread},
                                           scenario.seed);
  if (spec.andreas)
    for (const EpochFamily& family : spec.andreas->families)
      workload.kinds->add_epochs(family.needed);
  if (auto fine = check_types(*workload.kinds, scenario); !fine) return fine;
  std::size_t drawn = 0;
  std::size_t as_they_ran = 0;
  for (TracedJob& traced : workload.jobs) {
    if (!traced.runs.empty()) {
      workload.kinds->give_as_it_ran(traced);
      ++as_they_ran;
      continue;
    }
    if (!workload.kinds->is_named(traced.job.kind)) ++drawn;
    workload.kinds->give(traced);
  }
  if (drawn > 0)
    workload.notes.push_back(fmt::format(
        "{} of {} jobs are of no kind that the models know: each got a model by a seeded draw",
        drawn, workload.jobs.size()));
  if (workload.jobs.size() > as_they_ran) note_type_of_run_times(workload, scenario);
  return Done{};
}

}  // namespace

Result<Trace> read_any_trace(const std::filesystem::path& path, std::string_view format,
                             const TraceOptions& options) {
  if (format != "journal") return read_trace(path, format, options);
  return read_journal_trace(path, options);
}

Result<Workload> load_workload(const Scenario& scenario) {
  auto workload = scenario.workload.generate ? prepare_generator(scenario) : load_trace(scenario);
  if (!workload) return workload;
  if (auto given = assign_models(*workload, scenario); !given) return std::move(given).error();
  for (TracedJob& traced : workload->jobs)
    if (!traced.job.kind_id) traced.job.work = Work{};  // of samples that nobody can count
  return workload;
}

std::unique_ptr<JobSource> Workload::source() const {
  if (!spec) return std::make_unique<VectorSource>(jobs);
  std::unique_ptr<JobSource> generated = std::make_unique<GeneratedSource>(*spec);
  if (origins) generated = std::make_unique<OriginSource>(std::move(generated), *origins);
  if (!kinds) return generated;
  return std::make_unique<KindSource>(std::move(generated), *kinds);
}

std::unique_ptr<Learner> make_learner(const Scenario& scenario, const Workload& workload) {
  const WorkloadSpec& spec = scenario.workload;
  if (!workload.kinds) return std::make_unique<FixedModels>(Models{});
  const Models& catalogue = workload.kinds->believed();
  if (!spec.refit) return std::make_unique<FixedModels>(catalogue);
  return std::make_unique<RefittingLearner>(
      spec.guessed ? guess_from_other_kinds(catalogue) : catalogue,
      RefittingOptions{.instrument = spec.instrument_spread},
      Rng(scenario.seed).stream("instrument"));
}

}  // namespace penstock
