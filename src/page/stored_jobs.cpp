#include "page/stored_jobs.h"

#include <algorithm>
#include <cmath>

#include "io/text/number.h"
#include "page/named_places.h"

namespace penstock {
namespace {

struct JobColumns {
  explicit JobColumns(RowReader& rows)
      : name(rows.need("job_id")),
        submitted(rows.need("submission_time")),
        gpus(rows.need("requested_number_of_resources")),
        requested(rows.need("requested_time")),
        success(rows.need("success")),
        start(rows.need("starting_time")),
        finish(rows.need("finish_time")),
        kind(rows.find("profile")),
        metadata(rows.find("metadata")),
        site(rows.find("site")),
        gpus_mean(rows.find("gpus_mean")),
        clock(rows.find("clock_mean_mhz")),
        energy(rows.find("energy_kwh")),
        cost(rows.find("energy_cost")),
        rent(rows.find("rent_cost")),
        carbon(rows.find("carbon_kg")),
        deadline(rows.find("deadline")),
        tardiness(rows.find("tardiness_s")),
        restarts(rows.find("restarts")),
        predicted(rows.find("predicted_cost")),
        home(rows.find("home")),
        sent(rows.find("transfer_gb")) {}

  std::size_t name, submitted, gpus, requested, success, start, finish;
  MaybeColumn kind, metadata, site, gpus_mean, clock, energy, cost, rent, carbon, deadline,
      tardiness, restarts, predicted, home, sent;
};

/// The value behind `key=` in "user=ann;group=vc7;held_s=90"; nothing if it is not there.
std::optional<std::string_view> entry(std::string_view metadata, std::string_view key) {
  std::size_t at = 0;
  if (!metadata.starts_with(key)) {
    at = metadata.rfind(key);
    if (at == std::string_view::npos || metadata[at - 1] != ';') return std::nullopt;
  }
  metadata.remove_prefix(at + key.size());
  const std::size_t group = metadata.find(";group=");
  const std::size_t held = metadata.find(";held_s=");
  return metadata.substr(0, std::min(group, held));
}

void read_asked(RowReader& rows, const JobColumns& at, StoredJob& job) {
  job.name = rows.text(at.name);
  job.kind = rows.text(at.kind);
  job.user = entry(rows.text(at.metadata), "user=").value_or(std::string_view{});
  job.home = rows.text(at.home);
  job.submitted = rows.time(at.submitted);
  job.requested = rows.time(at.requested);
  job.deadline = rows.maybe_time(at.deadline);
  job.gpus = rows.count(at.gpus);
}

Duration held_of(RowReader& rows, const JobColumns& at, const StoredJob& job) {
  const auto text = entry(rows.text(at.metadata), "held_s=");
  if (!text) return job.finish - job.start;
  const auto held = parse_seconds(*text);
  if (!held) rows.refuse(*at.metadata, in_quotes(*text) + " is not a time in seconds");
  return held.value_or(Duration::zero());
}

void read_outcome(RowReader& rows, const JobColumns& at, StoredJob& job) {
  job.start = rows.time(at.start);
  job.finish = rows.time(at.finish);
  if (job.finish < job.start || job.start < job.submitted)
    rows.refuse(at.finish,
                "it did not start before it was submitted, nor finish before it started");
  job.held = held_of(rows, at, job);
  job.tardiness = rows.maybe_time(at.tardiness);
  job.restarts = at.restarts ? rows.count(*at.restarts) : 0;
  job.killed = rows.text(at.success) == "0";
  job.gpus_mean = rows.number(at.gpus_mean);
  job.clock_mhz = rows.number(at.clock);
  job.energy_kwh = rows.number(at.energy);
  job.cost = rows.number(at.cost);
  if (const float rent = rows.number(at.rent); !std::isnan(rent)) job.cost += rent;
  job.carbon_kg = rows.number(at.carbon);
  job.predicted = rows.number(at.predicted);
  job.sent_gb = rows.number(at.sent);
}

}  // namespace

Result<std::vector<StoredJob>> parse_jobs(std::string& text, const std::string& file,
                                          std::span<const std::string> sites) {
  auto opened = CsvRows::open(text, file);
  if (!opened) return std::move(opened).error();
  RowReader rows(*opened);
  const JobColumns at(rows);
  const NamedPlaces places(sites);
  std::vector<StoredJob> jobs;
  while (rows.next()) {
    StoredJob& job = jobs.emplace_back();
    read_asked(rows, at, job);
    read_outcome(rows, at, job);
    if (!at.site || sites.empty()) continue;
    const auto site = places.of(rows.text(at.site));
    if (!site) rows.refuse(*at.site, in_quotes(rows.text(at.site)) + " is not in summary.json");
    job.site = site.value_or(0);
  }
  if (rows.problem()) return *rows.problem();
  return jobs;
}

}  // namespace penstock
