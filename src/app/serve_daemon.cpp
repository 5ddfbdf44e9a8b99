#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "app/commands.h"
#include "app/serve.h"
#include "app/serve_savings.h"
#include "app/web_pages.h"
#include "base/version.h"
#include "engine/engine.h"
#include "io/plan/answer.h"
#include "live/job/progress_files.h"
#include "live/progress_reader.h"
#include "registry/registry.h"
#include "serve/api/api_service.h"
#include "serve/api/pooled_job.h"
#include "serve/config/preflight.h"
#include "serve/config/signal_fetcher.h"
#include "serve/journal/learnt_models.h"
#include "serve/journal/log.h"
#include "serve/journal/recovery.h"
#include "solve/make_plan.h"

namespace penstock {
namespace {

using nlohmann::json;

/// Ends the daemon when the system asks for it. Signals are blocked for all threads that are
/// started while it lives.
class Ending {
 public:
  Ending() {
    sigemptyset(&signals_);
    for (const int each : {SIGINT, SIGTERM, SIGUSR2}) sigaddset(&signals_, each);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    thread_ = std::thread([this] {
      int which = 0;
      sigwait(&signals_, &which);
      stops_ = true;
      const std::scoped_lock lock(mutex_);
      if (then_) then_();
    });
  }
  ~Ending() {
    pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
  }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  bool stops() const { return stops_; }
  void then(std::function<void()> what) {
    const std::scoped_lock lock(mutex_);
    then_ = std::move(what);
    if (stops_ && then_) then_();
  }

 private:
  sigset_t signals_{};
  std::atomic<bool> stops_{false};
  std::mutex mutex_;
  std::function<void()> then_;
  std::thread thread_;
};

/// What is done every second beside steering.
class Chores final : public Housekeeping {
 public:
  /// `learnt` is what earlier lives had learnt.
  Chores(Steering& steering, const LiveBeliefs& beliefs, std::vector<LearntProfile> learnt)
      : steering_(steering), beliefs_(beliefs), learnt_(std::move(learnt)) {}
  void add(SlurmBackend& backend, Desk& desk) {
    backend_ = &backend;
    desk_ = &desk;
    reader_.emplace(
        [files = std::make_shared<ProgressFiles>()](const std::string& path) {
          return files->read(path);
        },
        [&backend, this] { backend.later([this](Time now) { reader_->tell(sites_, now); }); });
    for (std::size_t i = 0; i < backend.sites(); ++i) {
      sites_.push_back(&backend.site(i));
      sites_.back()->ask_at_end(
          [this, site = sites_.back()->options().site](const TrackedJob& job, Time now) {
            return reader_->last_words(site, job, now);
          });
    }
  }
  /// Nothing more happens: nobody is waited for.
  void close() { reader_.reset(); }
  bool tick(Time now) override {
    if (desk_ != nullptr && now >= next_) {
      next_ = now + std::chrono::seconds(1);
      desk_->measure(now);
      desk_->tell_changes(now);
      reader_->look(sites_);
      if (now >= next_models_) write_models(now);
    }
    return steering_.tick(now);
  }
  void journal_failed(const std::string& why) override { steering_.journal_failed(why); }
  void journal_works() override { steering_.journal_works(); }
  /// What was learnt since this was last done must not be learnt again by the next life.
  void write_models(Time now) {
    next_models_ = now + std::chrono::minutes(1);
    if (fits_ == beliefs_.fits()) return;
    fits_ = beliefs_.fits();
    backend_->note({.when = now,
                    .what = "models",
                    .detail = learnt_detail(merged(learnt_, beliefs_.learnt()))});
  }

 private:
  Steering& steering_;
  SlurmBackend* backend_ = nullptr;
  Desk* desk_ = nullptr;
  const LiveBeliefs& beliefs_;
  std::vector<LearntProfile> learnt_;
  std::uint64_t fits_ = 0;
  std::vector<SlurmSite*> sites_;
  std::optional<ProgressReader> reader_;
  Time next_{};
  Time next_models_{};
};

/// What was asked when we ended may have been done or not.
Result<Done> give_up_requests(Journal& journal, Time now) {
  const auto open = journal.open_requests();
  if (!open) return open.error();
  for (const JournalRequest& request : *open)
    if (auto done = journal.answer(request.id, RequestState::lost,
                                   "the daemon ended before it heard the answer", now);
        !done)
      return done;
  return Done{};
}

/// What earlier lives of ours wrote.
Result<Done> remember(Journal& journal, const ServeConfig& config, SlurmBackend& backend,
                      Time now) {
  const auto beginning = journal.beginning();
  if (!beginning) return beginning.error();
  std::vector<SlurmSite*> sites;
  for (std::size_t i = 0; i < backend.sites(); ++i) {
    sites.push_back(&backend.site(i));
    sites.back()->begin_at(beginning->value_or(now));
  }
  auto reader = JournalReader::open(config.journal);
  if (!reader) return std::move(reader).error();
  if (auto done = remember_jobs(*reader, sites, now); !done) return done;
  return give_up_requests(journal, now);
}

/// Changes the profiles to what earlier lives have learnt of them.
Result<std::vector<LearntProfile>> learnt_before(Journal& journal, const ServeConfig& config,
                                                 std::vector<Profile>& profiles) {
  std::vector<LearntProfile> learnt;
  if (!config.refit) return learnt;
  const auto last = journal.latest_entries("models", 1);
  if (!last) return last.error();
  if (!last->empty()) learnt = put_in(read_learnt(last->front().detail), profiles);
  return learnt;
}

std::string scenario_text(const toml::table& table) {
  std::ostringstream text;
  text << table;
  return text.str();
}

void note_beginning(SlurmBackend& backend, const LiveSetup& setup, const ServeConfig& config,
                    Time now) {
  const json detail{{"text", fmt::format("penstock {} begins, mode {}, policy {}", kVersion,
                                         name_of(config.fence.mode), setup.policy.name)},
                    {"version", kVersion},
                    {"mode", name_of(config.fence.mode)},
                    {"policy", setup.policy.name},
                    {"options", setup.policy.options},
                    {"former", config.former},
                    {"former_options", config.former_options},
                    {"scenario", scenario_text(setup.table)}};
  backend.note({.when = now, .what = "began", .detail = detail.dump()});
}

ApiAnswer plan_over_api(const std::string& body) {
  auto request = parse_plan_request(body, "the request");
  if (!request) return api_error(400, request.error().message);
  return {200, answer_plan(*request, make_plan)};
}

std::vector<SlurmBackend::SiteSetup> site_setups(const ServeConfig& config, const LiveSetup& setup,
                                                 std::span<const ClusterFacts> clusters,
                                                 const Steering& steering) {
  std::vector<SlurmBackend::SiteSetup> sites;
  for (std::size_t i = 0; i < config.sites.size(); ++i) {
    const SiteId id{static_cast<std::uint32_t>(i)};
    SlurmBackend::SiteSetup site{.options = config.sites[i].options,
                                 .bridge = bridge_of(config.sites[i]),
                                 .permissions = &steering.permissions(id)};
    site.bridge.command.insert(site.bridge.command.end(), config.sites[i].events.begin(),
                               config.sites[i].events.end());
    site.options.site = id;
    site.options.restart = setup.scenario.costs.restart;
    site.options.nodes = setup.nodes[i];
    site.options.account = clusters[i].account;
    sites.push_back(std::move(site));
  }
  return sites;
}

std::vector<std::string> keys_of(std::span<const ClusterFacts> clusters) {
  std::vector<std::string> keys;
  for (const ClusterFacts& cluster : clusters) keys.push_back(cluster.key);
  return keys;
}

}  // namespace

int run_daemon(const ServeConfig& config) {
  const auto lock = take_lock(config.journal.string() + ".lock");
  if (!lock) return refuse(lock.error().message);
  Ending ending;
  for (const FetchSpec& spec : config.fetches)  // a first start has no files yet
    if (auto done = fetch_once(spec); !done)
      log_line(Time(std::chrono::floor<Duration>(std::chrono::system_clock::now())), "warning",
               "fetch", done.error().message);
  const Fetching fetching(config.fetches);
  auto journal = Journal::open(config.journal);
  if (!journal) return refuse(journal.error().message);
  const auto clusters = find_clusters(config, *journal, [&] { return ending.stops(); });
  if (!clusters) return refuse(clusters.error().message);
  auto setup = set_up_live(config, *clusters);
  if (!setup) return refuse(setup.error().message);
  SystemClock clock;
  const Time now = clock.now();
  for (const std::string& note : setup->notes) log_line(now, "warning", "nodes", note);
  Scenario& scenario = setup->scenario;
  auto policy = every_policy().make({.cluster = scenario.cluster,
                                     .costs = scenario.costs,
                                     .start = now,
                                     .carbon_price = scenario.carbon_price,
                                     .utility = scenario.utility},
                                    setup->policy.name, setup->policy.options);
  if (!policy) return refuse(policy.error().message);

  auto learnt = learnt_before(*journal, config, scenario.workload.profiles);
  if (!learnt) return refuse(learnt.error().message);
  LiveBeliefs beliefs(scenario.workload.profiles, scenario.cluster, config.refit);
  Steering steering({config, scenario, *journal, clock,
                     [&] { return read_live_scenario(config, setup->table); }, keys_of(*clusters)});
  Chores chores(steering, beliefs, *std::move(learnt));
  JobLog job_log(*journal, log_json);
  JournalWriter& journal_writer = config.log_jobs ? static_cast<JournalWriter&>(job_log) : *journal;
  SlurmBackend backend(
      site_setups(config, *setup, *clusters, steering),
      {scenario.cluster, beliefs, journal_writer, clock, chores, scenario.signals});
  steering.steer(backend);
  if (auto done = remember(*journal, config, backend, now); !done)
    return refuse(done.error().message);
  steering.remember_pause();
  if (auto done = remember_pool(*journal, backend); !done) return refuse(done.error().message);
  EventFeed feed;
  DaemonMetrics metrics;
  declare_daemon_metrics(metrics);
  Watcher watcher(
      backend, feed,
      {.policy = setup->policy.name, .mode = config.fence.mode, .signals = scenario.signals});
  SavingsDesk savings(
      {.journal = config.journal, .former = PolicyChoice{config.former, config.former_options}});
  Desk desk(Desk::Surroundings{.backend = backend,
                               .steering = steering,
                               .watcher = watcher,
                               .journal = *journal,
                               .scenario = scenario,
                               .config = config,
                               .feed = feed,
                               .metrics = metrics,
                               .version = kVersion,
                               .policy = setup->policy,
                               .since = now,
                               .plan = plan_over_api,
                               .savings = [&] { return savings.answer(); }});
  chores.add(backend, desk);
  ApiOptions api = config.api;
  api.home = dashboard_page();
  auto server = ApiServer::start(desk, feed, api);
  if (!server) return refuse(server.error().message);
  log_line(now, "info", "began",
           fmt::format("listens on {}:{}, mode {}, policy {}", config.api.host, server->port(),
                       name_of(config.fence.mode), setup->policy.name));
  note_beginning(backend, *setup, config, now);
  LiveFence fence(config.fence, scenario.cluster, backend, clock,
                  [&](SiteId site) { return steering.why_not(site); });
  MeasuredPolicy measured(**policy, metrics);
  ending.then([&] { backend.stop(); });
  (void)run(backend, measured,
            {.cluster = scenario.cluster,
             .signals = scenario.signals,
             .forecasts = scenario.forecasts,
             .costs = scenario.costs,
             .start = now,
             .learner = &beliefs,
             .fence = &fence,
             .explain = true},
            watcher);
  ending.then({});
  chores.close();
  chores.write_models(clock.now());
  (void)backend.flush(clock.now());
  desk.close();
  feed.wake();
  server->stop();
  log_line(clock.now(), "info", "ended", "jobs go on; what is held waits for the next start");
  return kExitOk;
}

}  // namespace penstock
