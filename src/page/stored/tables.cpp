#include "page/stored/tables.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "io/text/number.h"
#include "page/stored/row_reader.h"

namespace penstock {

// jobs.csv

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
  const NameIndex places(sites);
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

// stretches.csv

namespace {

/// The next whole number of `text`, which loses it; nothing if it does not begin with one.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

/// Appends the ranges of "0-3 7"; false if it is no such set.
bool read_ranges(std::string_view text, std::vector<GpuRange>& ranges) {
  while (true) {
    const auto first = take_number(text);
    if (!first) return false;
    auto last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    constexpr std::uint32_t kMostGpus = 1u << 30;
    if (!last || *last < *first || *last >= kMostGpus) return false;
    ranges.push_back({GpuId{*first}, *last - *first + 1});
    if (text.empty()) return true;
    if (text.front() != ' ') return false;
    text.remove_prefix(1);
  }
}

class StretchReader {
 public:
  explicit StretchReader(CsvRows& file)
      : rows_(file),
        job_(rows_.need("job_id")),
        from_(rows_.need("from_s")),
        to_(rows_.need("to_s")),
        gpus_(rows_.need("allocated_resources")),
        clock_(rows_.need("clock_mhz")),
        end_(rows_.need("ended_by")) {}

  Result<StoredStretches> read() {
    StoredStretches all;
    while (rows_.next()) add(all);
    if (rows_.problem()) return *rows_.problem();
    return all;
  }

 private:
  void add(StoredStretches& all) {
    StoredStretch& row = all.rows.emplace_back();
    row.job = rows_.text(job_);
    row.from = rows_.time(from_);
    row.to = rows_.time(to_);
    if (row.to <= row.from) rows_.refuse(to_, "is not after from_s");
    row.first_range = static_cast<std::uint32_t>(all.ranges.size());
    if (!read_ranges(rows_.text(gpus_), all.ranges))
      rows_.refuse(gpus_, in_quotes(rows_.text(gpus_)) + " is not a set of GPUs such as '0-3 7'");
    row.ranges = static_cast<std::uint32_t>(all.ranges.size()) - row.first_range;
    row.clock_mhz = rows_.text(clock_).empty() ? 0 : rows_.count(clock_);
    const auto end = std::ranges::find(kStretchEnds, rows_.text(end_));
    if (end == kStretchEnds.end())
      rows_.refuse(end_, in_quotes(rows_.text(end_)) + " is no end that is known");
    else
      row.end = static_cast<StretchEnd>(end - kStretchEnds.begin());
  }

  RowReader rows_;
  std::size_t job_, from_, to_, gpus_, clock_, end_;
};

}  // namespace

Result<StoredStretches> parse_stretches(std::string& text, const std::string& file) {
  auto opened = CsvRows::open(text, file);
  if (!opened) return std::move(opened).error();
  return StretchReader(*opened).read();
}

// timeline.csv

namespace {

struct TimelineColumns {
  explicit TimelineColumns(RowReader& rows)
      : time(rows.need("time_s")),
        site(rows.need("site")),
        busy(rows.need("busy_gpus")),
        idle(rows.need("idle_gpus")),
        sleeping(rows.need("sleeping_nodes")),
        queued(rows.need("queued_jobs")),
        running(rows.need("running_jobs")),
        power(rows.find("power_w")),
        price(rows.find("price")),
        carbon(rows.find("carbon_g_per_kwh")),
        cap(rows.find("cap_w")) {}
  std::size_t time, site, busy, idle, sleeping, queued, running;
  MaybeColumn power, price, carbon, cap;
};

StoredSample read_sample(RowReader& rows, const TimelineColumns& at) {
  return {.time = rows.time(at.time),
          .busy = rows.count(at.busy),
          .idle = rows.count(at.idle),
          .sleeping = rows.count(at.sleeping),
          .queued = rows.count(at.queued),
          .running = rows.count(at.running),
          .power = rows.number(at.power),
          .price = rows.number(at.price),
          .carbon = rows.number(at.carbon),
          .cap = rows.number(at.cap)};
}

/// The mean of what is defined; undefined if nothing is.
float mean(std::span<const StoredSample> samples, float StoredSample::* field) {
  double sum = 0;
  int count = 0;
  for (const StoredSample& sample : samples)
    if (!std::isnan(sample.*field)) {
      sum += static_cast<double>(sample.*field);
      ++count;
    }
  return count == 0 ? kUndefined : static_cast<float>(sum / count);
}

std::uint32_t mean(std::span<const StoredSample> samples, std::uint32_t StoredSample::* field) {
  std::uint64_t sum = 0;
  for (const StoredSample& sample : samples) sum += sample.*field;
  return static_cast<std::uint32_t>((sum + samples.size() / 2) / samples.size());
}

StoredSample joined(std::span<const StoredSample> samples) {
  StoredSample one{.time = samples.front().time};
  for (const auto field :
       {&StoredSample::busy, &StoredSample::idle, &StoredSample::sleeping, &StoredSample::running})
    one.*field = mean(samples, field);
  one.queued = std::ranges::max(samples, {}, &StoredSample::queued).queued;
  for (const auto field :
       {&StoredSample::power, &StoredSample::price, &StoredSample::carbon, &StoredSample::cap})
    one.*field = mean(samples, field);
  return one;
}

}  // namespace

Result<StoredTimeline> parse_timeline(std::string& text, const std::string& file,
                                      std::span<const std::string> sites) {
  auto opened = CsvRows::open(text, file);
  if (!opened) return std::move(opened).error();
  RowReader rows(*opened);
  const TimelineColumns at(rows);
  const NameIndex places(sites);
  StoredTimeline timeline(sites.size());
  while (rows.next()) {
    const auto site = places.of(rows.text(at.site));
    if (!site) {
      rows.refuse(at.site, in_quotes(rows.text(at.site)) + " is not in summary.json");
      break;
    }
    std::vector<StoredSample>& samples = timeline[*site];
    samples.push_back(read_sample(rows, at));
    if (samples.size() > 1 && samples.back().time < samples[samples.size() - 2].time)
      rows.refuse(at.time, "is before the site's last row");
  }
  if (rows.problem()) return *rows.problem();
  return timeline;
}

std::size_t thinning(std::size_t rows, std::size_t most) {
  return rows <= most ? 1 : (rows + most - 1) / most;
}

std::vector<StoredSample> thinned(std::span<const StoredSample> samples, std::size_t factor) {
  if (factor <= 1) return {samples.begin(), samples.end()};
  std::vector<StoredSample> few;
  for (std::size_t at = 0; at < samples.size(); at += factor)
    few.push_back(joined(samples.subspan(at, std::min(factor, samples.size() - at))));
  return few;
}

// reasons.csv, curves and sweep.csv

namespace {

using Words = std::vector<std::string>;

/// All rows as they are, a list for each column.
Result<std::vector<CurveColumn>> read_words(std::string& text, const std::string& file) {
  auto rows = CsvRows::open(text, file);
  if (!rows) return std::move(rows).error();
  std::vector<CurveColumn> columns;
  for (const std::string& name : rows->columns()) columns.push_back({name, Words{}});
  while (true) {
    const auto more = rows->next();
    if (!more) return more.error();
    if (!*more) return columns;
    for (std::size_t i = 0; i < columns.size(); ++i)
      std::get<Words>(columns[i].values).emplace_back(rows->cell(i));
  }
}

/// The words as numbers; nothing if one of them is none.
std::optional<std::vector<double>> as_numbers(const Words& words) {
  std::vector<double> numbers;
  for (const std::string& word : words) {
    if (word.empty()) {
      numbers.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const auto number = parse_number<double>(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

Result<std::vector<StoredReason>> parse_reasons(std::string& text, const std::string& file) {
  auto opened = CsvRows::open(text, file);
  if (!opened) return std::move(opened).error();
  RowReader rows(*opened);
  const std::size_t time = rows.need("time_s");
  const std::size_t reason = rows.need("reason");
  std::vector<StoredReason> reasons;
  while (rows.next()) reasons.push_back({rows.time(time), rows.text(reason)});
  if (rows.problem()) return *rows.problem();
  return reasons;
}

Result<std::vector<CurveColumn>> parse_curve(std::string& text, const std::string& file) {
  auto columns = read_words(text, file);
  if (!columns) return columns;
  for (CurveColumn& column : *columns)
    if (auto numbers = as_numbers(std::get<Words>(column.values)))
      column.values = *std::move(numbers);
  return columns;
}

Result<StoredSweep> parse_sweep(std::string& text, const std::string& file) {
  auto rows = CsvRows::open(text, file);
  if (!rows) return std::move(rows).error();
  const auto policy = rows->column("policy");
  if (!policy) return policy.error();
  const auto seed = rows->column("seed");
  if (!seed) return seed.error();
  StoredSweep sweep;
  for (std::size_t i = *policy + 1; i <= *seed; ++i) sweep.keys.push_back(rows->columns()[i]);
  while (true) {
    const auto more = rows->next();
    if (!more) return more.error();
    if (!*more) return sweep;
    auto& point = sweep.points.emplace_back();
    for (std::size_t i = *policy + 1; i <= *seed; ++i) point.emplace_back(rows->cell(i));
  }
}

}  // namespace penstock
