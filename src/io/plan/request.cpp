#include "io/plan/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/time.h"
#include "io/plan/draft.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr auto kWeekdays =
    std::to_array<std::string_view>({"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"});
constexpr auto kMonths = std::to_array<std::string_view>(
    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});

/// "Tue 21 Jul 2020, 17.56.59" in the form that parse_time() knows; nothing if it is none. The
/// name of the day says nothing new and may be wrong.
std::optional<std::string> as_iso(std::string_view text) {
  constexpr std::string_view kPattern = "??? ?? ??? ????, ??.??.??";
  if (text.size() != kPattern.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (kPattern[i] != '?' && kPattern[i] != text[i]) return std::nullopt;
  if (std::ranges::find(kWeekdays, text.substr(0, 3)) == kWeekdays.end()) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(7, 3));
  if (month == kMonths.end()) return std::nullopt;
  return fmt::format("{}-{:02}-{}T{}:{}:{}", text.substr(11, 4), month - kMonths.begin() + 1,
                     text.substr(4, 2), text.substr(17, 2), text.substr(20, 2), text.substr(23));
}

std::string weekday_text(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format(
      "{} {:02} {} {:04}, {:02}.{:02}.{:02}", kWeekdays[std::chrono::weekday(day).c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count());
}

}  // namespace

std::optional<Instant> parse_instant(std::string_view text) {
  const auto named = as_iso(text);
  const auto time = parse_time(named ? *named : text);
  if (!time) return std::nullopt;
  return Instant{.seconds = seconds(time->time_since_epoch()),
                 .form = named ? InstantForm::weekday : InstantForm::iso};
}

std::string instant_json(const Instant& instant) {
  if (instant.form == InstantForm::seconds) return fmt::format("{}", instant.seconds);
  const Time time(round_duration(instant.seconds));
  if (instant.form == InstantForm::iso) return '"' + format_time(time) + '"';
  return '"' + weekday_text(std::chrono::round<std::chrono::seconds>(time)) + '"';
}

std::span<const PlanMethod> plan_methods() {
  static constexpr auto all = std::to_array<PlanMethod>({
      {"RG", JointMethod::random_greedy, "best of many randomised greedy plans"},
      {"G", JointMethod::greedy, "most pressing first, cheapest in time, else fastest"},
      {"LS", JointMethod::local_search, "RG, improved by local search"},
      {"PR", JointMethod::relinking, "LS, then path relinking"},
      {"FIFO", JointMethod::fifo, "first come, first served; running jobs are left alone"},
      {"EDF", JointMethod::edf, "earliest deadline first; running jobs are left alone"},
      {"PS", JointMethod::priority, "highest priority first; running jobs are left alone"},
      {"ATC", JointMethod::atc, "apparent tardiness cost first, one GPU a job"},
      {"EXACT", JointMethod::exact, "a proven best plan, for small requests"},
  });
  return all;
}

Result<JointMethod> parse_plan_method(std::string_view name) {
  std::vector<std::string_view> names;
  std::string there_are;
  for (const PlanMethod& known : plan_methods()) {
    if (known.name == name) return known.method;
    names.push_back(known.name);
    there_are += " " + std::string(known.name);
  }
  return Error{"there is no method " + in_quotes(name) + "; there are:" + there_are +
               did_you_mean(name, names)};
}

std::string_view plan_method_name(JointMethod method) {
  for (const PlanMethod& known : plan_methods())
    if (known.method == method) return known.name;
  return "";
}

namespace {

constexpr auto kRequestKeys = std::to_array<std::string_view>(
    {"jobs", "nodes", "GPUcosts", "currentScheduling", "currentTime", "method", "seed", "verbose",
     "restart", "timeLimit", "iterations", "threads", "GPUfractions"});

/// Of a request that names none: a million jobs would take hours.
constexpr Duration kUsualTimeLimit = std::chrono::seconds(60);
constexpr double kLatestSecond = 1e11;  // more than three thousand years

std::string_view form_name(InstantForm form) {
  switch (form) {
    case InstantForm::seconds:
      return "seconds, as currentTime is";
    case InstantForm::iso:
    case InstantForm::weekday:
      break;
  }
  return "a date, as currentTime is";
}

std::optional<Instant> instant_of(ObjectReader& reader, const JsonValue& value) {
  if (value.kind() == JsonKind::text) {
    const auto instant = parse_instant(value.text());
    if (!instant)
      reader.problem(value.key(), fmt::format("{} is not a date such as 2020-07-21T17:56:59Z "
                                              "or 'Tue 21 Jul 2020, 17.56.59'",
                                              in_quotes(value.text())));
    return instant;
  }
  if (value.kind() != JsonKind::number) {
    reader.problem(value.key(), "must be seconds or a date");
    return std::nullopt;
  }
  if (const auto wrong = not_in_range(value, {.most = kLatestSecond}, false)) {
    reader.problem(value.key(), *wrong);
    return std::nullopt;
  }
  return Instant{.seconds = value.number()};
}

void read_verbose(ObjectReader& root, PlanDraft& draft) {
  const auto value = root.value("verbose");
  const bool known = value->kind() == JsonKind::boolean || value->kind() == JsonKind::number;
  if (!known) root.problem("verbose", "must be true or false, or a level from 0 on");
  draft.request.verbose = known && value->number() > 0;
}

void read_method(ObjectReader& root, JointSettings& settings) {
  const auto name = root.text("method");
  if (!name) return;
  const auto method = parse_plan_method(*name);
  if (!method) return root.problem("method", method.error().message);
  settings.method = *method;
}

void read_clock(ObjectReader& root, PlanDraft& draft) {
  const auto value = root.value("currentTime");
  if (!value) return;
  const auto instant = instant_of(root, *value);
  if (!instant) return;
  draft.request.form = instant->form;
  draft.request.problem.now = instant->seconds;
}

void read_settings(ObjectReader& root, PlanDraft& draft) {
  JointSettings& settings = draft.request.settings;
  settings.time_limit = kUsualTimeLimit;
  if (root.has("method")) read_method(root, settings);
  if (root.has("verbose")) read_verbose(root, draft);
  if (root.has("seed"))
    settings.seed = root.whole("seed", {.most = 9007199254740992}).value_or(settings.seed);
  if (root.has("iterations"))
    settings.iterations = static_cast<std::uint32_t>(
        root.whole("iterations", {.least = 1, .most = 1e9}).value_or(settings.iterations));
  if (root.has("threads"))
    settings.threads = static_cast<unsigned>(
        root.whole("threads", {.least = 1, .most = 1024}).value_or(settings.threads));
  if (root.has("restart")) draft.restart = root.number("restart", {.most = 1e9}).value_or(0);
  if (!root.has("timeLimit")) return;
  if (const auto limit = root.number("timeLimit", {.most = 1e9, .above = true}))
    settings.time_limit = ceil_duration(*limit);
}

}  // namespace

std::optional<double> read_instant(ObjectReader& reader, std::string_view key, InstantForm form) {
  const auto value = reader.value(key);
  if (!value) return std::nullopt;
  const auto instant = instant_of(reader, *value);
  if (!instant) return std::nullopt;
  const bool same = (instant->form == InstantForm::seconds) == (form == InstantForm::seconds);
  if (same) return instant->seconds;
  reader.problem(key, fmt::format("must be {}", form_name(form)));
  return std::nullopt;
}

Result<PlanRequest> parse_plan_request(std::string_view text, const std::string& file) {
  const auto tree = JsonTree::parse(text, file);
  if (!tree) return tree.error();
  JsonProblems problems(file);
  if (tree->root().kind() != JsonKind::object) {
    problems.add("", "must be an object with: " + listed(kRequestKeys));
    return problems.as_error();
  }
  for (const std::string& path : tree->repeated()) problems.add(path, "is there more than once");
  ObjectReader root(tree->root(), "", problems, kRequestKeys);
  PlanDraft draft;
  read_clock(root, draft);
  read_settings(root, draft);
  read_costs(root, draft);
  read_fractions(root, draft);
  read_nodes(root, draft);
  read_jobs(root, draft);
  read_running(root, draft);
  settle_nodes(root, draft);
  if (!problems.empty()) return problems.as_error();
  settle_epochs(draft);
  settle_clocks(draft);
  return std::move(draft.request);
}

}  // namespace penstock
