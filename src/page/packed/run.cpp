#include "page/packed/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/in_parallel.h"

namespace penstock {
namespace {

UnitChoice times_of(const RunTables& tables) {
  UnitChoice choice;
  if (tables.jobs)
    for (const StoredJob& job : *tables.jobs)
      for (const Duration time : {job.submitted, job.start, job.finish, job.held}) choice.see(time);
  if (tables.stretches)
    for (const StoredStretch& stretch : tables.stretches->rows) {
      choice.see(stretch.from);
      choice.see(stretch.to);
    }
  if (tables.timeline)
    for (const auto& samples : *tables.timeline)
      if (!samples.empty()) choice.see(samples.back().time);
  return choice;
}

/// Packs the runs of one page, step by step.
class RunPacker {
 public:
  explicit RunPacker(const PackRequest& request)
      : request_(request), ordered_(request.runs.size()), times_(request.runs.size()) {
    packed_.runs.resize(request.runs.size());
  }

  Result<PackedRuns> pack() {
    in_parallel(count(), request_.threads, [&](std::size_t i) {
      times_[i] = times_of(request_.tables[i]);
      if (request_.tables[i].jobs) ordered_[i] = in_order(*request_.tables[i].jobs);
    });
    find_populations();
    if (auto fine = choose_units(); !fine) return std::move(fine).error();
    for (const Population& population : packed_.populations) names_.emplace_back(population);
    share_limits();
    in_parallel(count(), request_.threads, [&](std::size_t i) { pack_run(i); });
    note_cuts();
    return std::move(packed_);
  }

 private:
  std::size_t count() const { return request_.runs.size(); }

  void find_populations() {
    std::size_t rows = 0;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < count(); ++i) {
      if (!request_.tables[i].jobs) continue;
      rows += ordered_[i].size();
      if (rows <= request_.limits.jobs)
        packed_.runs[i].population = population_of(i);
      else
        ++left_out;
    }
    if (left_out > 0)
      packed_.notes.push_back(fmt::format(
          "The single jobs of {} runs are not on this page, which holds {} rows of jobs at most.",
          left_out, request_.limits.jobs));
  }

  std::size_t population_of(std::size_t i) {
    const auto submitted = static_cast<std::uint64_t>(
        std::max(0.0, request_.runs[i].summary.jobs_submitted.value_or(0)));
    auto& all = packed_.populations;
    for (std::size_t p = 0; p < all.size(); ++p)
      if (join(all[p], ordered_[i], submitted)) return p;
    all.push_back({ordered_[i], submitted});
    return all.size() - 1;
  }

  /// Runs of one population have one unit.
  Result<Done> choose_units() {
    std::vector<UnitChoice> choices(packed_.populations.size());
    for (std::size_t i = 0; i < count(); ++i) {
      if (!times_[i].fits())
        return Error{request_.runs[i].shown_dir +
                     ": lasts for more than 68 years, which no page can show"};
      if (const auto p = packed_.runs[i].population) choices[*p].see(times_[i]);
    }
    for (const UnitChoice& choice : choices) packed_.units.push_back(choice.unit());
    bool rounded = false;
    for (std::size_t i = 0; i < count(); ++i) {
      const auto p = packed_.runs[i].population;
      packed_.runs[i].unit = p ? packed_.units[*p] : times_[i].unit();
      rounded = rounded || !(p ? choices[*p] : times_[i]).is_exact();
    }
    if (rounded)
      packed_.notes.emplace_back(
          "Times of runs of more than 24 days are rounded to whole seconds.");
    return Done{};
  }

  /// How many rows each run may have of what is limited over all.
  void share_limits() {
    std::size_t timelines = 0;
    std::size_t with_stretches = 0;
    for (const RunTables& tables : request_.tables) {
      if (tables.timeline) timelines += tables.timeline->size();
      if (tables.stretches) ++with_stretches;
    }
    stretch_rows_ = request_.limits.stretches / std::max<std::size_t>(1, with_stretches);
    constexpr std::size_t kFewest = 24;
    sample_rows_ = std::clamp(request_.limits.all_samples / std::max<std::size_t>(1, timelines),
                              kFewest, request_.limits.samples);
    most_timelines_ = request_.limits.all_samples / kFewest;
    if (timelines > most_timelines_)
      packed_.notes.push_back(fmt::format("Of {} timelines of sites the first {} are on this page.",
                                          timelines, most_timelines_));
  }

  void pack_run(std::size_t i) {
    const RunTables& tables = request_.tables[i];
    PackedRun& run = packed_.runs[i];
    if (run.population) {
      const Population& population = packed_.populations[*run.population];
      const auto jobs = matched(population, ordered_[i]);
      run.jobs = pack_jobs(jobs, run.unit);
      if (tables.stretches)
        run.stretches = pack_stretches(*tables.stretches, {.names = names_[*run.population],
                                                           .jobs = jobs,
                                                           .unit = run.unit,
                                                           .most_rows = stretch_rows_});
    }
    if (tables.timeline) run.timeline = pack_timeline(*tables.timeline, run.unit);
  }

  std::vector<PackedSite> pack_timeline(const StoredTimeline& timeline, TimeUnit unit) const {
    std::vector<PackedSite> sites;
    const std::size_t share = std::max<std::size_t>(1, most_timelines_ / count());
    for (std::size_t i = 0; i < std::min(share, timeline.size()); ++i) {
      const std::size_t factor = thinning(timeline[i].size(), sample_rows_);
      sites.push_back({static_cast<std::uint32_t>(i), factor,
                       pack_samples(thinned(timeline[i], factor), unit)});
    }
    return sites;
  }

  void note_cuts() {
    std::uint64_t left_out = 0;
    for (const PackedRun& run : packed_.runs)
      if (run.stretches) left_out += run.stretches->left_out;
    if (left_out > 0)
      packed_.notes.push_back(
          fmt::format("The {} shortest stretches in which jobs held GPUs, or those of jobs that "
                      "never ended, are not on this page.",
                      left_out));
  }

  const PackRequest& request_;
  std::vector<std::vector<const StoredJob*>> ordered_;
  std::vector<UnitChoice> times_;
  std::vector<JobNames> names_;  ///< of populations
  std::size_t stretch_rows_ = 0;
  std::size_t sample_rows_ = 0;
  std::size_t most_timelines_ = 0;
  PackedRuns packed_;
};

}  // namespace

Result<PackedRuns> pack_runs(const PackRequest& request) {
  return RunPacker(request).pack();
}

}  // namespace penstock
