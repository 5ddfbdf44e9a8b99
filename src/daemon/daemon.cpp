#include "daemon/daemon.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/version.h"
#include "daemon/savings.h"
#include "daemon/setup.h"
#include "engine/engine.h"
#include "io/plan/answer.h"
#include "journal/learnt_models.h"
#include "journal/log.h"
#include "live/job/progress_files.h"
#include "live/progress_reader.h"
#include "live/recovery.h"
#include "registry/registry.h"
#include "serve/api/api_service.h"
#include "serve/config/preflight.h"
#include "serve/config/signal_fetcher.h"
#include "serve/http/api_server.h"
#include "solve/exact_plan.h"

namespace penstock {
namespace {

constexpr auto kBetweenReports = std::chrono::seconds(1);
constexpr auto kBetweenModels = std::chrono::minutes(1);

/// What is read before a daemon is put together.
struct DaemonInputs {
  Time start{};
  std::vector<ClusterFacts> clusters{};  ///< by site
  std::unique_ptr<LiveSetup> setup{};    ///< stays where it is: the policy looks at it
  std::unique_ptr<Policy> policy{};
  std::vector<LearntProfile> learnt{};  ///< by earlier lives of the daemon
};

/// Changes the profiles to what earlier lives have learnt of them.
Result<std::vector<LearntProfile>> restore_models(Journal& journal, const ServeConfig& config,
                                                  std::vector<Profile>& profiles) {
  std::vector<LearntProfile> learnt;
  if (!config.refit) return learnt;
  const auto last = journal.latest_entries("models", 1);
  if (!last) return last.error();
  if (!last->empty()) learnt = apply_learnt(parse_learnt(last->front().detail), profiles);
  return learnt;
}

Result<DaemonInputs> read_inputs(const ServeConfig& config, Journal& journal, SystemClock& clock,
                                 const ShutdownSignal& shutdown) {
  DaemonInputs inputs;
  auto clusters = find_clusters(config, journal, [&] { return shutdown.arrived(); });
  if (!clusters) return std::move(clusters).error();
  inputs.clusters = *std::move(clusters);
  auto setup = set_up_live(config, inputs.clusters);
  if (!setup) return std::move(setup).error();
  inputs.setup = std::make_unique<LiveSetup>(*std::move(setup));
  inputs.start = clock.now();
  for (const std::string& note : inputs.setup->notes)
    log_line(inputs.start, "warning", "nodes", note);
  Scenario& scenario = inputs.setup->scenario;
  auto policy = every_policy().make({.cluster = scenario.cluster,
                                     .costs = scenario.costs,
                                     .start = inputs.start,
                                     .carbon_price = scenario.carbon_price,
                                     .utility = scenario.utility},
                                    inputs.setup->policy.name, inputs.setup->policy.options);
  if (!policy) return std::move(policy).error();
  inputs.policy = *std::move(policy);
  auto learnt = restore_models(journal, config, scenario.workload.profiles);
  if (!learnt) return std::move(learnt).error();
  inputs.learnt = *std::move(learnt);
  return inputs;
}

std::vector<SiteAccess> site_access(std::span<const ClusterFacts> clusters) {
  std::vector<SiteAccess> all;
  for (const ClusterFacts& cluster : clusters) all.push_back({.claim = ClusterClaim(cluster.key)});
  return all;
}

std::vector<SlurmBackend::SiteSetup> site_setups(const ServeConfig& config,
                                                 const DaemonInputs& inputs,
                                                 std::span<const SiteAccess> access) {
  std::vector<SlurmBackend::SiteSetup> sites;
  for (std::size_t i = 0; i < config.sites.size(); ++i) {
    SlurmBackend::SiteSetup site{.options = config.sites[i].options,
                                 .bridge = bridge_options(config.sites[i]),
                                 .permissions = &access[i].permissions};
    site.bridge.command.insert(site.bridge.command.end(), config.sites[i].events.begin(),
                               config.sites[i].events.end());
    site.options.site = SiteId{static_cast<std::uint32_t>(i)};
    site.options.restart = inputs.setup->scenario.costs.restart;
    site.options.nodes = inputs.setup->nodes[i];
    site.options.account = inputs.clusters[i].account;
    sites.push_back(std::move(site));
  }
  return sites;
}

std::vector<SlurmSite*> sites_of(SlurmBackend& backend) {
  std::vector<SlurmSite*> sites(backend.sites());
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = &backend.site(i);
  return sites;
}

/// The detail of the entry "began".
std::string start_detail(const LiveSetup& setup, const ServeConfig& config) {
  std::ostringstream scenario;
  scenario << setup.table;
  return nlohmann::json{{"text", fmt::format("penstock {} begins, mode {}, policy {}", kVersion,
                                             name_of(config.fence.mode), setup.policy.name)},
                        {"version", kVersion},
                        {"mode", name_of(config.fence.mode)},
                        {"policy", setup.policy.name},
                        {"options", setup.policy.options},
                        {"former", config.former},
                        {"former_options", config.former_options},
                        {"scenario", scenario.str()}}
      .dump();
}

ApiResponse plan_over_api(const std::string& body) {
  auto request = parse_plan_request(body, "the request");
  if (!request) return api_error(400, request.error().message);
  return {200, answer_plan(*request, make_plan)};
}

/// The parts of a daemon, in the order in which they need each other. It looks after itself between
/// two events: it is its backend's Housekeeping.
class Daemon final : private Housekeeping {
 public:
  /// A daemon that knows what earlier lives of it wrote in the journal. All must outlive it.
  static Result<std::unique_ptr<Daemon>> make(const ServeConfig& config, Journal& journal,
                                              SystemClock& clock, DaemonInputs inputs) {
    std::unique_ptr<Daemon> daemon(new Daemon(config, journal, clock, std::move(inputs)));
    if (auto done = daemon->restore(); !done) return std::move(done).error();
    return daemon;
  }

  /// Schedules until a signal arrives. The error says why it does not listen.
  Result<Done> run(std::string_view home_page, ShutdownSignal& shutdown);

 private:
  Daemon(const ServeConfig& config, Journal& journal, SystemClock& clock, DaemonInputs inputs);
  ApiDependencies service_dependencies();
  Result<Done> restore();
  void schedule(ShutdownSignal& shutdown);
  void stop(ApiServer& server);

  bool tick(Time now) override;
  void journal_failed(const std::string& why) override { control_.journal_failed(why); }
  void journal_works() override { control_.journal_works(); }
  /// Writes what was learnt since the last call, so that the next process need not learn it again.
  void write_models(Time now);

  const ServeConfig& config_;
  Journal& journal_;
  SystemClock& clock_;
  DaemonInputs inputs_;
  Scenario& scenario_;
  LiveBeliefs beliefs_;
  JobLog job_log_;
  std::vector<SiteAccess> access_;
  SlurmBackend backend_;
  std::vector<SlurmSite*> sites_;
  ActivationControl control_;
  EventFeed feed_;
  DaemonMetrics metrics_;
  DaemonObserver observer_;
  SavingsCache savings_;
  ApiService service_;
  std::optional<ProgressReader> progress_;
  std::uint64_t written_fits_ = 0;  ///< of beliefs_, when its models were last written down
  Time next_report_{};
  Time next_models_{};
};

Daemon::Daemon(const ServeConfig& config, Journal& journal, SystemClock& clock, DaemonInputs inputs)
    : config_(config),
      journal_(journal),
      clock_(clock),
      inputs_(std::move(inputs)),
      scenario_(inputs_.setup->scenario),
      beliefs_(scenario_.workload.profiles, scenario_.cluster, config.refit),
      job_log_(journal, log_json),
      access_(site_access(inputs_.clusters)),
      backend_(site_setups(config, inputs_, access_),
               {scenario_.cluster, beliefs_,
                config.log_jobs ? static_cast<JournalWriter&>(job_log_) : journal, clock, *this,
                scenario_.signals}),
      sites_(sites_of(backend_)),
      control_({.config = config,
                .scenario = scenario_,
                .journal = journal,
                .clock = clock,
                .backend = backend_,
                .access = access_,
                .reload = [this] { return read_live_scenario(config_, inputs_.setup->table); }}),
      observer_(backend_, feed_,
                {.policy = inputs_.setup->policy.name,
                 .mode = config.fence.mode,
                 .signals = scenario_.signals}),
      savings_({.journal = config.journal,
                .former = PolicyChoice{config.former, config.former_options}}),
      service_(service_dependencies()) {
  declare_daemon_metrics(metrics_);
  progress_.emplace(
      [files = std::make_shared<ProgressFiles>()](const std::string& path) {
        return files->read(path);
      },
      [this] { backend_.post([this](Time now) { progress_->deliver(sites_, now); }); });
  for (SlurmSite* site : sites_)
    site->set_last_progress([this, id = site->options().site](const TrackedJob& job, Time now) {
      return progress_->last_progress(id, job, now);
    });
}

ApiDependencies Daemon::service_dependencies() {
  return {.backend = backend_,
          .control = control_,
          .observer = observer_,
          .journal = journal_,
          .scenario = scenario_,
          .config = config_,
          .feed = feed_,
          .metrics = metrics_,
          .version = kVersion,
          .policy = inputs_.setup->policy,
          .since = inputs_.start,
          .plan = plan_over_api,
          .savings = [this] { return savings_.answer(); }};
}

Result<Done> Daemon::restore() {
  const Time now = inputs_.start;
  const auto beginning = journal_.beginning();
  if (!beginning) return beginning.error();
  for (SlurmSite* site : sites_) site->history().begin_at(beginning->value_or(now));
  auto reader = JournalReader::open(config_.journal);
  if (!reader) return std::move(reader).error();
  if (auto done = restore_jobs(*reader, sites_, now); !done) return done;
  if (auto done = close_open_requests(journal_, now); !done) return done;
  control_.restore_pause();
  return restore_pool(journal_, backend_.pool());
}

Result<Done> Daemon::run(std::string_view home_page, ShutdownSignal& shutdown) {
  ApiOptions api = config_.api;
  api.home = home_page;
  auto server = ApiServer::start(service_, feed_, api);
  if (!server) return std::move(server).error();
  log_line(inputs_.start, "info", "began",
           fmt::format("listens on {}:{}, mode {}, policy {}", config_.api.host, server->port(),
                       name_of(config_.fence.mode), inputs_.setup->policy.name));
  backend_.note(
      {.when = inputs_.start, .what = "began", .detail = start_detail(*inputs_.setup, config_)});
  schedule(shutdown);
  stop(*server);
  return Done{};
}

void Daemon::schedule(ShutdownSignal& shutdown) {
  LiveFence fence(config_.fence, scenario_.cluster, backend_, clock_,
                  [this](SiteId site) { return control_.why_not(site); });
  MeasuredPolicy measured(*inputs_.policy, metrics_);
  shutdown.on_arrival([this] { backend_.stop(); });
  (void)penstock::run(backend_, measured,
                      {.cluster = scenario_.cluster,
                       .signals = scenario_.signals,
                       .forecasts = scenario_.forecasts,
                       .costs = scenario_.costs,
                       .start = inputs_.start,
                       .learner = &beliefs_,
                       .fence = &fence,
                       .explain = true},
                      observer_);
  shutdown.on_arrival({});
}

void Daemon::stop(ApiServer& server) {
  progress_.reset();
  write_models(clock_.now());
  (void)backend_.flush(clock_.now());
  service_.close();
  feed_.wake();
  server.stop();
  log_line(clock_.now(), "info", "ended", "jobs go on; what is held waits for the next start");
}

bool Daemon::tick(Time now) {
  if (now >= next_report_) {
    next_report_ = now + kBetweenReports;
    service_.measure(now);
    service_.publish_changes(now);
    progress_->request_reads(sites_);
    if (now >= next_models_) write_models(now);
  }
  return control_.tick(now);
}

void Daemon::write_models(Time now) {
  next_models_ = now + kBetweenModels;
  if (written_fits_ == beliefs_.fits()) return;
  written_fits_ = beliefs_.fits();
  backend_.note({.when = now,
                 .what = "models",
                 .detail = learnt_json(merge_learnt(inputs_.learnt, beliefs_.learnt()))});
}

}  // namespace

ShutdownSignal::ShutdownSignal() {
  sigemptyset(&signals_);
  for (const int each : {SIGINT, SIGTERM, SIGUSR2}) sigaddset(&signals_, each);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this] {
    int which = 0;
    sigwait(&signals_, &which);
    arrived_ = true;
    const std::scoped_lock lock(mutex_);
    if (action_) action_();
  });
}

ShutdownSignal::~ShutdownSignal() {
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

void ShutdownSignal::on_arrival(std::function<void()> action) {
  const std::scoped_lock lock(mutex_);
  action_ = std::move(action);
  if (arrived_ && action_) action_();
}

Result<Done> run_daemon(const ServeConfig& config, std::string_view home_page,
                        ShutdownSignal& shutdown) {
  const auto lock = acquire_file_lock(config.journal.string() + ".lock");
  if (!lock) return lock.error();
  for (const FetchSpec& spec : config.fetches)  // a first start has no files yet
    if (auto done = fetch_once(spec); !done)
      log_line(Time(std::chrono::floor<Duration>(std::chrono::system_clock::now())), "warning",
               "fetch", done.error().message);
  const SignalFetcher fetcher(config.fetches);
  auto journal = Journal::open(config.journal);
  if (!journal) return std::move(journal).error();
  SystemClock clock;
  auto inputs = read_inputs(config, *journal, clock, shutdown);
  if (!inputs) return std::move(inputs).error();
  auto daemon = Daemon::make(config, *journal, clock, *std::move(inputs));
  if (!daemon) return std::move(daemon).error();
  return (*daemon)->run(home_page, shutdown);
}

}  // namespace penstock
