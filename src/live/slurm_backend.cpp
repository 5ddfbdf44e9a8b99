#include "live/slurm_backend.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "live/job/job_from_slurm.h"

namespace penstock {
namespace {

constexpr Duration kBeat = std::chrono::seconds(1);
constexpr std::size_t kMostUnwritten =
    100'000;  // notes are kept while the journal cannot take them

}  // namespace

SlurmBackend::Site::Site(SiteSetup setup, const Context& context, const Shared& shared)
    : link(std::move(setup.bridge)),
      site(std::move(setup.options), link,
           {context.cluster, context.beliefs, shared.numbers, *setup.permissions, shared.pool,
            &agents, context.signals}) {}

SlurmBackend::SlurmBackend(std::vector<SiteSetup> sites, const Context& context)
    : context_(context), wake_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  PENSTOCK_CHECK(wake_event_ >= 0);
  for (SiteSetup& setup : sites)
    sites_.push_back(std::make_unique<Site>(std::move(setup), context_, Shared{numbers_, pool_}));
}

SlurmBackend::~SlurmBackend() {
  ::close(wake_event_);
}

void SlurmBackend::post(std::function<void(Time)> work) {
  {
    const std::scoped_lock lock(mutex_);
    posted_.push_back(std::move(work));
  }
  const std::uint64_t one = 1;
  (void)!::write(wake_event_, &one, sizeof one);
}

void SlurmBackend::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
  }
  const std::uint64_t one = 1;
  (void)!::write(wake_event_, &one, sizeof one);
}

void SlurmBackend::run_posted_work(Time now) {
  std::uint64_t count = 0;
  (void)!::read(wake_event_, &count, sizeof count);
  std::vector<std::function<void(Time)>> posted;
  {
    const std::scoped_lock lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& work : posted) work(now);
}

bool SlurmBackend::wait(std::optional<Time> until, Batch& batch) {
  batch.events.clear();
  batch.submitted.clear();
  batch.new_signals = false;
  (void)flush(now_);
  while (true) {
    now_ = std::max(now_, context_.clock.now());
    run_posted_work(now_);
    poll_sites(now_);
    emit_pooled(now_);
    batch.new_signals = context_.housekeeping.tick(now_);
    (void)flush(now_);
    {
      const std::scoped_lock lock(mutex_);
      if (stops_) return false;
    }
    const Time latest = std::min(until.value_or(Time::max()), wake_at_.value_or(Time::max()));
    if (has_news() || batch.new_signals || now_ >= latest) break;
    sleep_until(now_, latest);
  }
  if (wake_at_ && now_ >= *wake_at_) wake_at_.reset();
  batch.now = now_;
  std::ranges::move(events_, std::back_inserter(batch.events));
  std::ranges::move(submitted_, std::back_inserter(batch.submitted));
  events_.clear();
  submitted_.clear();
  for (const auto& each : sites_) each->site.move_into(batch);
  (void)flush(now_);
  return true;
}

void SlurmBackend::poll_sites(Time now) {
  const auto steady = BridgeLink::Steady::now();
  for (const auto& each : sites_) {
    each->link.do_io(steady);
    each->site.poll(now);
    each->link.do_io(steady);  // sends what was just queued
    if (each->starts == each->link.starts()) continue;
    each->starts = each->link.starts();
    note({.when = now,
          .site = each->site.options().name,
          .what = "bridge",
          .detail = fmt::format("{{\"text\":\"the bridge was started for the {}. time\"}}",
                                each->starts)});
  }
}

bool SlurmBackend::has_news() const {
  return !events_.empty() ||
         std::ranges::any_of(sites_, [](const auto& each) { return each->site.has_news(); });
}

void SlurmBackend::sleep_until(Time now, Time until) const {
  // What came in while something was sent would otherwise wait for the next word.
  if (std::ranges::any_of(sites_, [](const auto& each) { return each->link.has_messages(); }))
    return;
  std::vector<pollfd> all{{.fd = wake_event_, .events = POLLIN, .revents = 0}};
  Time next = std::min(until, now + kBeat);
  for (const auto& each : sites_) {
    next = std::min(next, each->site.next_look());
    all.push_back({.fd = each->link.reading(), .events = POLLIN, .revents = 0});
    if (each->link.wants_to_write())
      all.push_back({.fd = each->link.writing(), .events = POLLOUT, .revents = 0});
  }
  const auto ms = std::clamp<std::int64_t>((next - now).count(), 1, 1000);
  ::poll(all.data(), all.size(), static_cast<int>(ms));
}

std::vector<SlurmBackend::SiteCommand> SlurmBackend::gather() {
  std::vector<SiteCommand> commands;
  for (const auto& each : sites_) {
    std::ranges::move(each->site.take_notes(), std::back_inserter(notes_));
    std::ranges::move(each->site.take_answers(), std::back_inserter(answers_));
    for (QueuedCommand& command : each->site.take_commands())
      commands.push_back({&each->site, std::move(command)});
  }
  return commands;
}

/// Gives the commands their numbers in the journal.
bool SlurmBackend::write_journal(std::vector<SiteCommand>& commands) {
  std::vector<JournalRequest> requests;
  requests.reserve(commands.size());
  for (const SiteCommand& each : commands) requests.push_back(each.command.record);
  const auto written = context_.journal_writer.write(notes_, requests, answers_);
  if (!written) {
    context_.housekeeping.journal_failed(written.error().message);
    if (notes_.size() > kMostUnwritten) notes_.erase(notes_.begin(), notes_.end() - kMostUnwritten);
    return false;
  }
  notes_.clear();
  answers_.clear();
  if (!journal_fine_) context_.housekeeping.journal_works();
  for (std::size_t i = 0; i < commands.size(); ++i) commands[i].command.record.id = requests[i].id;
  return true;
}

bool SlurmBackend::flush(Time now) {
  std::vector<SiteCommand> commands = gather();
  if (commands.empty() && notes_.empty() && answers_.empty()) return true;
  journal_fine_ = write_journal(commands);
  for (SiteCommand& each : commands) {
    // Users' jobs are let go in any case: a full disk must not hold them up.
    if (journal_fine_ || each.command.record.verb == "release")
      each.site->dispatch(std::move(each.command));
    else
      each.site->drop(each.command, "the journal cannot be written", now);
  }
  const auto steady = BridgeLink::Steady::now();
  for (const auto& each : sites_) each->link.do_io(steady);
  return journal_fine_;
}

void SlurmBackend::execute(const Action& action, const State& /*state*/) {
  const auto site_that = [&](auto&& owns) -> SlurmSite* {
    for (const auto& each : sites_)
      if (owns(each->site)) return &each->site;
    return nullptr;
  };
  SlurmSite* site = std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.job; })
          return site_that([&](const SlurmSite& s) { return s.knows(a.job); });
        else
          return site_that([&](const SlurmSite& s) {
            return s.options().site == context_.cluster.node(a.node).site;
          });
      },
      action);
  if (const auto* start = std::get_if<Start>(&action); start != nullptr && site == nullptr) {
    PooledJob* pooled = pool_.find(start->job);
    PENSTOCK_CHECK(pooled != nullptr);
    return this->site(context_.cluster.node(start->where.front().first).site.index)
        .launch(*pooled, *start, {reasons_.of(action), now_});
  }
  PENSTOCK_CHECK(site != nullptr);
  site->execute({action, {reasons_.of(action), now_}});
}

SlurmSite* SlurmBackend::site_of(JobId job) {
  for (const auto& each : sites_)
    if (each->site.knows(job)) return &each->site;
  return nullptr;
}

Pace SlurmBackend::pace(const JobState& job) const {
  const GpuType& type = context_.cluster.type(context_.cluster.node(job.where.front().first));
  Pace pace{Speed(1), type.peak * gpu_count(job.where)};
  const GpuTypeId type_id = context_.cluster.node(job.where.front().first).type;
  if (const Profile* profile = context_.beliefs.models().find(job.job, type_id)) {
    const Config config = config_of(job, context_.cluster);
    pace = {Speed(throughput(*profile, config) / 1e3), draw(*profile, config)};
  }
  const auto at = std::ranges::find_if(
      sites_, [&](const auto& each) { return each->site.find(job.job.id) != nullptr; });
  if (at == sites_.end()) {
    if (job.job.name.find("/drained/") != std::string::npos)
      pace.draw = type.idle * gpu_count(job.where);
    return pace;
  }
  const TrackedJob& tracked = *(*at)->site.find(job.job.id);
  if (!tracked.confirmed) return pace;  // what was reported is of another run
  if (const auto speed = reported_speed(tracked); speed && job.job.kind_id) pace.speed = *speed;
  if (const auto drawn = (*at)->agents.draw(tracked.held, {tracked.settled, now_}))
    pace.draw = *drawn;
  return pace;
}

Result<Done> SlurmBackend::add_to_pool(PooledJob job) {
  std::string why = "there is no site";
  for (const auto& each : sites_) {
    TrackedJob tracked{.seen = job.as_slurm};
    const auto made =
        job_from_slurm(tracked, each->site.options(), context_.cluster, context_.beliefs);
    if (const auto* reason = std::get_if<std::string>(&made)) {
      why = *reason;
      continue;
    }
    pool_.add(std::move(job));
    return Done{};
  }
  return Error{why};
}

bool SlurmBackend::remove_from_pool(std::int64_t pooled) {
  PooledJob* job = pool_.find(pooled);
  if (job == nullptr || job->at) return false;
  if (job->id) events_.emplace_back(JobWithdrawn{*job->id});
  pool_.remove(pooled);
  return true;
}

/// Submits a job of an earlier process once it is sure that no cluster has it: the clusters that
/// were asked to take it must have shown their jobs.
void SlurmBackend::emit_pooled(Time /*now*/) {
  for (auto& [number, job] : pool_.jobs()) {
    if (job.id || job.at) continue;
    const bool may_be_there = std::ranges::any_of(sites_, [&](const auto& each) {
      return job.asked.contains(each->site.options().name) && !each->site.has_looked();
    });
    if (may_be_there) continue;
    for (const auto& each : sites_) {
      TrackedJob tracked{.seen = job.as_slurm};
      auto made = job_from_slurm(tracked, each->site.options(), context_.cluster, context_.beliefs);
      if (std::holds_alternative<std::string>(made)) continue;
      Job& submitted = std::get<Job>(made);
      submitted.id = numbers_.next();
      submitted.name = "pool/" + std::to_string(number);
      submitted.home = kNoSite;
      pool_.set_id(job, submitted.id);
      events_.emplace_back(JobSubmitted{submitted.id});
      submitted_.push_back(std::move(submitted));
      break;
    }
  }
}

}  // namespace penstock
