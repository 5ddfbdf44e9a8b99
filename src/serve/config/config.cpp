#include "serve/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "io/scenario/table_reader.h"
#include "io/text/file.h"
#include "io/text/nearest.h"
#include "io/text/number.h"
#include "model/gpu_type.h"

namespace penstock {
namespace {

struct Reading {
  std::filesystem::path dir;
  ServeConfig& config;
  GpuNames types;
};

/// A time without which nothing would come to pass, or all at once.
bool some_time(TableReader& table, std::string_view key, Duration& value) {
  Duration read{};
  if (!table.duration(key, read)) return false;
  if (read > Duration{})
    value = read;
  else
    table.problem(key, "must be longer than 0");
  return read > Duration{};
}

std::vector<std::string> texts(TableReader& table, std::string_view key) {
  std::vector<std::string> all;
  const toml::node* node = table.get(key);
  if (node == nullptr) return all;
  const auto* list = node->as_array();
  if (list == nullptr) {
    table.problem(key, "must be a list of texts, such as [\"gpu\"]");
    return all;
  }
  for (const toml::node& each : *list) {
    const auto text = each.value<std::string>();
    if (!text) {
      table.problem(key, "must be a list of texts, such as [\"gpu\"]");
      return all;
    }
    all.push_back(*text);
  }
  return all;
}

std::optional<int> minute_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto hour = parse_number<std::uint32_t>(text.substr(0, colon));
  const auto minute = parse_number<std::uint32_t>(text.substr(colon + 1));
  if (!hour || !minute || *hour > 24 || *minute > 59) return std::nullopt;
  const std::uint32_t all = *hour * 60 + *minute;
  if (all > 24 * 60) return std::nullopt;
  return static_cast<int>(all);
}

void read_hours(TableReader& table, std::vector<DayHours>& hours) {
  for (const std::string& text : texts(table, "hours")) {
    const std::size_t dash = text.find('-');
    const auto from = minute_of(std::string_view(text).substr(0, dash));
    const auto until = dash == std::string::npos
                           ? std::nullopt
                           : minute_of(std::string_view(text).substr(dash + 1));
    if (!from || !until)
      return table.problem("hours", fmt::format("'{}' is not a span of a day; possible: "
                                                "\"20:00-06:00\", in UTC",
                                                text));
    hours.push_back({*from, *until});
  }
}

void read_listen(TableReader& table, ApiOptions& api) {
  std::string text;
  if (!table.text("listen", text)) return;
  const std::size_t colon = text.rfind(':');
  const auto port = parse_number<std::uint32_t>(
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1));
  if (!port || *port > 65535)
    return table.problem("listen", fmt::format("'{}' is not an address with a port; possible: "
                                               "\"127.0.0.1:7323\"",
                                               text));
  api.host = text.substr(0, colon);
  api.port = static_cast<std::uint16_t>(*port);
}

void read_serve(TableReader& root, Reading& reading) {
  ServeConfig& config = reading.config;
  auto table = root.table("serve", "{ journal = \"journal.db\", mode = \"shadow\" }");
  if (!root.require("serve", "write [serve] with a journal and a mode") || !table) return;
  std::string text;
  if (table->require("journal", "the file in which all is written down") &&
      table->text("journal", text))
    config.journal = reading.dir / text;
  if (table->text("token_file", text)) config.api.token_file = reading.dir / text;
  if (table->text("heartbeat", text)) config.heartbeat = reading.dir / text;
  read_listen(*table, config.api);
  config.api.names = texts(*table, "names");
  some_time(*table, "retention", config.retention);
  table->duration("fail_open_after", config.fail_open_after);
  table->choice("mode", config.fence.mode,
                {{"shadow", Mode::shadow}, {"fenced", Mode::fenced}, {"live", Mode::live}});
  table->choice("log", config.log_jobs, {{"daemon", false}, {"jobs", true}});
  table->choice("refit", config.refit, {{"never", false}, {"online", true}});
  table->choice("clocks", config.clocks, {{"none", false}, {"agents", true}});
  table->finish();
}

/// Users and partitions of the fence hold for all sites. Whoever leaves the mode need not take the
/// fence out of the file.
void read_fence(TableReader& root, ServeConfig& config) {
  auto table = root.table("fence");
  if (!table) return;
  FenceOptions fence{.mode = config.fence.mode};
  std::uint32_t most = 0;
  if (table->whole("actions_per_minute", most, {.least = 1})) fence.actions_per_minute = most;
  read_hours(*table, fence.hours);
  const auto users = texts(*table, "users");
  const auto partitions = texts(*table, "partitions");
  table->finish();
  if (fence.mode != Mode::fenced)
    return config.notes.push_back(
        fmt::format("{}: does not hold, since serve.mode is \"{}\"; possible: mode = \"fenced\"",
                    table->where(""), name_of(fence.mode)));
  config.fence = std::move(fence);
  config.fence_partitions = partitions;
  for (SlurmSpec& site : config.sites) {
    site.options.users = users;
    if (!partitions.empty()) site.options.partitions = partitions;
  }
}

void read_former(TableReader& root, ServeConfig& config) {
  auto table = root.table("former", "{ name = \"fifo\" }");
  if (!table) return;
  config.former_options.clear();
  table->text("name", config.former);
  for (const auto& [key, node] : table->raw()) {
    if (key.str() == "name") continue;
    table->has(key.str());
    if (const auto value = scalar_text(node))
      config.former_options[std::string(key.str())] = *value;
  }
  table->finish();
}

void read_gpu_names(TableReader& table, SiteOptions& options, const GpuNames& types) {
  auto names = table.table("gpu_types", "{ tesla_v100 = \"v100\" }");
  if (!names) return;
  for (const auto& [slurm, ours] : names->raw()) {
    names->has(slurm.str());
    const auto name = ours.value<std::string>();
    if (!name)
      names->problem(slurm.str(), "must be the name of a GPU type, such as \"v100\"");
    else if (const auto lack = types.lack(*name))
      names->problem(slurm.str(), *lack);
    else
      options.gpu_types[std::string(slurm.str())] = *name;
  }
}

void read_timeouts(TableReader& table, SlurmSpec& site) {
  some_time(table, "poll", site.options.poll);
  some_time(table, "patience", site.timeout);
  some_time(table, "start_patience", site.options.start_timeout);
  some_time(table, "stop_patience", site.options.stop_timeout);
  some_time(table, "usual_time", site.options.usual_time);
  Duration age{};
  if (some_time(table, "stale_after", age)) site.stale_after = age;
  double per_hour = 0;
  if (table.number("tardiness_per_hour", per_hour, {.least = 0}))
    site.options.tardiness = MoneyRate(per_hour / 3600);
}

void read_bridge(TableReader& table, SlurmSpec& site, const std::filesystem::path& dir) {
  std::string program = "penstock-slurm";
  std::string text;
  table.text("bridge", program);
  site.bridge = {program};
  if (table.text("conf", text))
    site.bridge.insert(site.bridge.end(), {"--conf", (dir / text).string()});
}

void read_events(TableReader& table, SlurmSpec& site, const std::filesystem::path& dir) {
  std::string text;
  if (table.text("events", text))
    site.events.insert(site.events.end(), {"--events", (dir / text).string()});
  if (table.text("events_user", text))
    site.events.insert(site.events.end(), {"--events-user", text});
}

void read_site(TableReader& site, Reading& reading) {
  SlurmSpec spec;
  site.text("name", spec.options.name);
  if (site.has("nodes"))
    site.problem("nodes",
                 "are told by Slurm; what Slurm cannot know goes to [site.slurm.machines]");
  if (!site.require("slurm", "write [site.slurm], it may be empty")) return;
  auto table = site.table("slurm");
  if (!table) return;
  read_bridge(*table, spec, reading.dir);
  read_events(*table, spec, reading.dir);
  read_timeouts(*table, spec);
  read_gpu_names(*table, spec.options, reading.types);
  spec.partitions = texts(*table, "partitions");
  spec.options.partitions = spec.partitions;
  table->has("machines");
  table->finish();
  reading.config.sites.push_back(std::move(spec));
}

void read_fetches(TableReader& root, Reading& reading) {
  for (TableReader& table : root.tables("fetch")) {
    FetchSpec fetch;
    std::string file;
    if (table.require("url")) table.text("url", fetch.url);
    if (table.require("file") && table.text("file", file)) fetch.file = reading.dir / file;
    some_time(table, "every", fetch.every);
    if (!fetch.url.empty() && !fetch.url.starts_with("http://") &&
        !fetch.url.starts_with("https://"))
      table.problem("url", "must begin with http:// or https://");
    table.finish();
    reading.config.fetches.push_back(std::move(fetch));
  }
}

/// Whatever else is wrong, what tells how clusters are reached must be as it should.
void read_reach(TableReader& site, Reading& reading) {
  ProblemList problems("");
  TableReader alone(site.raw(), "", problems);
  SlurmSpec spec;
  alone.text("name", spec.options.name);
  auto table = alone.table("slurm");
  if (!table) return;
  read_bridge(*table, spec, reading.dir);
  if (problems.empty()) reading.config.sites.push_back(std::move(spec));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

Result<ServeConfig> read_clusters(const std::filesystem::path& path) {
  auto whole = read_serve_config(path);
  if (whole) return whole;
  const auto text = read_file(path);
  if (!text) return whole;
  const auto parsed = parse_toml(*text, path.string());
  if (!parsed) return whole;
  ServeConfig config{.file = path, .notes = lines_of(whole.error().message)};
  Reading reading{path.parent_path(), config, GpuNames(*parsed)};
  ProblemList problems(path.string());
  TableReader root(*parsed, "", problems);
  for (TableReader& site : root.tables("site")) read_reach(site, reading);
  if (config.sites.empty()) return whole;
  if (const auto journal = (*parsed)["serve"]["journal"].value<std::string>())
    config.journal = reading.dir / *journal;
  return config;
}

Result<ServeConfig> read_serve_config(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  auto parsed = parse_toml(*text, path.string());
  if (!parsed) return std::move(parsed).error();
  ServeConfig config{.file = path};
  Reading reading{path.parent_path(), config, GpuNames(*parsed)};
  ProblemList problems(path.string());
  TableReader root(*parsed, "", problems);
  root.require("site", "write at least one [[site]] with [site.slurm]");
  for (TableReader& site : root.tables("site")) read_site(site, reading);
  read_serve(root, reading);
  read_fence(root, config);
  read_former(root, config);
  read_fetches(root, reading);
  if (!problems.empty()) return problems.as_error();
  config.scenario = *std::move(parsed);
  for (const char* key : {"serve", "fence", "former", "fetch"}) config.scenario.erase(key);
  return config;
}

GpuNames::GpuNames(const toml::table& root) {
  for (const GpuType& type : gpu_catalogue()) names_.push_back(type.name);
  const auto described = root["gpu_type"];
  const auto add = [&](const toml::table& type) {
    if (const auto name = type["name"].value<std::string>()) names_.push_back(*name);
  };
  if (const toml::table* one = described.as_table()) add(*one);
  if (const toml::array* several = described.as_array())
    for (const toml::node& each : *several)
      if (const toml::table* type = each.as_table()) add(*type);
}

std::string GpuNames::plain(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return name;
}

std::optional<std::string> GpuNames::lack(const std::string& name) const {
  if (std::ranges::find(names_, plain(name)) != names_.end()) return std::nullopt;
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  return fmt::format("there is no GPU type '{}'; there are: {}{}", name, fmt::join(names_, " "),
                     did_you_mean(name, known));
}

}  // namespace penstock
