// What Slurm shows, against what the scheduler believes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "live/job/job_from_slurm.h"
#include "live/site/slurm_site.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

using Op = PendingOp::Kind;
using Seen = SlurmJob::Phase;

constexpr std::string_view kReleasedMark = "penstock: released";
constexpr std::string_view kLeftMark = "penstock: left";
constexpr Duration kBetweenReleases = std::chrono::seconds(10);

bool begins_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// Numbers in "afterok:12(unfulfilled),afterany:13_2:14(unfulfilled)"; of tasks, of their arrays.
std::vector<std::int64_t> jobs_in(std::string_view dependency) {
  std::vector<std::int64_t> numbers;
  for (auto at = dependency.find(':'); at != std::string_view::npos;
       at = dependency.find(':', at + 1)) {
    std::int64_t number = 0;
    const std::string_view rest = dependency.substr(at + 1);
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec == std::errc() && number > 0) numbers.push_back(number);
  }
  return numbers;
}

/// Of a run that had to wait for the end of the one before.
std::string why_on(const TrackedJob& job) {
  return job.start_reason.empty() ? "goes on elsewhere" : job.start_reason;
}

}  // namespace

/// Nothing if we govern it.
std::optional<std::string> SlurmSite::why_not_ours(const SlurmJob& job) const {
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  if (!in(options_.partitions, job.partition))
    return fmt::format("its partition '{}' is not governed; governed are: {}", job.partition,
                       fmt::join(options_.partitions, " "));
  if (!in(options_.users, job.user))
    return fmt::format("its user '{}' is not one of fence.users", job.user);
  return std::nullopt;
}

/// As long as Slurm shows what its user asked for.
void SlurmSite::note_shape(TrackedJob& job) {
  job.asked = job.seen.gpus;
  job.shape = {.gpus = job.seen.gpus,
               .nodes = job.seen.node_count,
               .gpus_per_node = job.seen.gpus_per_node,
               .submitted = job.seen.submitted};
}

void SlurmSite::see(SlurmJob job) {
  if (!governs(job)) {
    // Whoever changed its partition took it from us; what was held for us must not wait for ever.
    const bool known = jobs_.contains(job.ref) || launch_of(job) != launches_.end();
    if (!known && !job.is_held_for_us()) return;
  }
  if (job.phase != Seen::ended) told_ends_.erase(job.ref);
  if (job.phase == Seen::ended && told_ends_.contains(job.ref)) return;
  const auto [at, is_new] = jobs_.try_emplace(job.ref);
  TrackedJob& tracked = at->second;
  // A requeued job counts as submitted anew for Slurm, not for its user.
  if (tracked.seen.submitted && job.submitted)
    job.submitted = std::min(*tracked.seen.submitted, *job.submitted);
  tracked.seen = std::move(job);
  if (!tracked.seen.gpus_held.empty()) tracked.held = tracked.seen.gpus_held;
  tracked.gone = false;
  if (!tracked.changed) note_shape(tracked);
  if (is_new) recall(tracked);
}

/// What an earlier life of ours knew of it.
void SlurmSite::recall(TrackedJob& tracked) {
  if (const auto told = asked_before_.find(tracked.seen.ref); told != asked_before_.end()) {
    tracked.shape = told->second;
    tracked.asked = told->second.gpus;
    tracked.changed = true;
    tracked.noted = true;
    if (tracked.shape.submitted) tracked.seen.submitted = tracked.shape.submitted;
  }
  tracked.handed_over = begins_with(tracked.seen.admin_comment, kLeftMark);
  const auto before = remembered_.find(tracked.seen.ref);
  if (before == remembered_.end()) return;
  tracked.runs_seen = std::move(before->second);
  remembered_.erase(before);
  for (const LiveRun& run : tracked.runs_seen)
    tracked.done_before = std::max(tracked.done_before, run.done.value_or(0));
}

void SlurmSite::compare_all(Time now) {
  // Those who leave make room for those who come.
  std::vector<TrackedJob*> later;
  std::vector<std::string> over;
  for (auto& [ref, job] : jobs_) {
    if (job.seen.phase == Seen::running && !job.gone && !job.runs)
      later.push_back(&job);
    else
      compare(job, now);
  }
  for (TrackedJob* job : later) compare(*job, now);
  std::erase_if(jobs_, [&](const auto& each) {
    const TrackedJob& job = each.second;
    const bool is_over = !job.id && (job.gone || job.seen.phase == Seen::ended);
    if (is_over) in_op_.erase(each.first);
    return is_over && !left_.contains(each.first);
  });
  if (saw_nodes_) compare_nodes(now);
}

void SlurmSite::compare(TrackedJob& job, Time now) {
  if (was_told_apart(job)) return;
  if (!job.id) return compare_untold(job, now);
  if (job.op.kind == Op::saving || job.op.kind == Op::requeuing) return compare_stopping(job, now);
  if (!job.runs) return compare_queued(job, now);
  if (job.op.kind == Op::starting) return compare_starting(job, now);
  compare_running(job, now);
}

/// Of a job that is held Slurm does not find out that what it waited for is over: that is done
/// here, and Slurm has the last word when it is released.
bool SlurmSite::waits_for_others(const SlurmJob& job) const {
  if (job.dependency.empty()) return false;
  return std::ranges::any_of(jobs_in(job.dependency),
                             [&](std::int64_t number) { return not_over_.contains(number); });
}

bool SlurmSite::may_be_told(const TrackedJob& job, Time now) const {
  const SlurmJob& seen = job.seen;
  if (seen.phase == Seen::running) return true;
  if (job.not_before && now < *job.not_before) return false;
  if (seen.completing || seen.reason == "dependency" || seen.reason == "begin_time") return false;
  const bool has_its_time = seen.eligible && *seen.eligible > now && seen.restarts == 0;
  if (has_its_time || waits_for_others(seen)) return false;
  return !seen.held || seen.is_held_for_us();  // its owner holds it
}

/// As the scheduler will see it, or why it will not.
std::variant<Job, std::string> SlurmSite::governed(TrackedJob& job) {
  if (auto why = why_not_ours(job.seen)) return *std::move(why);
  return job_from_slurm(job, options_, around_.cluster, around_.beliefs);
}

void SlurmSite::compare_untold(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (const auto launch = launch_of(seen); launch != launches_.end())
    return adopt(launch, job, now);
  if (is_second_copy(job, now)) return;
  if (job.gone || seen.phase == Seen::ended) return note_end_unseen(job, now);
  if (job.handed_over) return release_for_good(job, "it was left to Slurm", now);
  if (!may_be_told(job, now)) return;
  auto made = governed(job);
  if (const auto* why = std::get_if<std::string>(&made)) {
    job.handed_over = true;
    note(now, &job, "left to Slurm", {{"text", "left to Slurm: " + *why}});
    return release_for_good(job, *why, now);
  }
  submitted_.push_back(std::move(std::get<Job>(made)));
  tell_submitted(job, now);
  if (seen.phase == Seen::running) {
    tell_started(job, now);
    return;
  }
  const bool was_released = begins_with(seen.admin_comment, kReleasedMark);
  if (around_.permissions.holds && !seen.held && !was_released)
    order_hold(job, "it waits for its turn", now);
  if (!around_.permissions.holds && seen.is_held_for_us())
    order_release(job, kReleasedMark, "Penstock does not hold jobs at present", now);
}

/// Asked again until Slurm shows it: nobody else would let it go.
void SlurmSite::release_for_good(TrackedJob& job, const std::string& why, Time now) {
  if (!job.seen.is_held_for_us() || now < job.op.retry_at.value_or(now)) return;
  job.op.retry_at = now + kBetweenReleases;
  order_release(job, kLeftMark, why, now);
}

void SlurmSite::compare_queued(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone || seen.phase == Seen::ended) return tell_withdrawn(job, now);
  if (job.handed_over) {
    tell_withdrawn(job, now);
    return release_for_good(job, "it was left to Slurm", now);
  }
  if (job.not_before) return tell_withdrawn(job, now);
  if (seen.phase == Seen::running) tell_started(job, now);
}

/// For other jobs, or for its time: its start is undone.
bool SlurmSite::slurm_makes_it_wait(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  const bool never = seen.reason == "dependency_never";
  if (seen.held || (!never && seen.reason != "dependency" && seen.reason != "begin_time"))
    return false;
  const std::string why =
      never ? "what it waits for will never be" : "it waits for other jobs, or for its time";
  const JobId id = *job.id;
  undo_start(job, why, now);
  if (never) leave(id, why, now);
  return true;
}

void SlurmSite::compare_starting(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone) return tell_interrupted(job, 0, now);
  if (seen.phase == Seen::ended) {
    const bool ran = seen.started && *seen.started >= job.op.since - std::chrono::seconds(2) &&
                     !seen.nodes.empty();
    if (!ran) return tell_interrupted(job, 0, now);
    run_begins(job);
    watch_run(job, {.from = job.billed.value_or(now)});
    finish_op(job, RequestState::confirmed, "it ran", now);
    job.confirmed = true;
    seen_working(job, now);
    return tell_finished(job, now);
  }
  if (seen.phase == Seen::running) return confirm_start(job, now);
  if (slurm_makes_it_wait(job, now)) return;
  if (now - job.op.since > options_.start_patience && !somebody_leaves())
    return undo_start(job,
                      fmt::format("Slurm did not start it within {} s: {}",
                                  options_.start_patience.count() / 1000, seen.reason),
                      now);
  const bool forgotten = seen.held && job.op.retry_at && now >= *job.op.retry_at;
  if (forgotten)
    order_start(job, job.op.request == 0 ? why_on(job) : "once more: Slurm still holds it", now);
}

void SlurmSite::confirm_start(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  const bool as_asked = is_where_it_should(job);
  if (!as_asked && !job.op.replaced.empty() && has_gpus_of(seen, job.op.replaced))
    return bring_on(job, now);
  finish_op(job, as_asked ? RequestState::confirmed : RequestState::refused,
            as_asked ? "it runs" : "it runs elsewhere", now);
  if (!as_asked) return tell_interrupted(job, 0, now);
  job.confirmed = true;
  job.failed_starts = 0;
  run_begins(job);
  watch_run(job, {.from = job.billed.value_or(now)});
  seen_working(job, now);
  note(now, &job, "runs",
       {{"text", fmt::format("runs on {} with {}", fmt::join(seen.nodes, " "),
                             gpus_label(seen.gpus_held_count()))},
        {"nodes", seen.nodes},
        {"gpus", seen.gpus_held_count()}});
}

/// It began where it was to start before it was told to elsewhere: it stops there first.
void SlurmSite::bring_on(TrackedJob& job, Time now) {
  finish_op(job, RequestState::refused, "it had begun where it was to start before", now);
  run_begins(job);
  watch_run(job, {.from = job.billed.value_or(now)});
  job.drew = draw_of(job, now);  // and goes on so until it has stopped
  note(now, &job, "runs",
       {{"text", fmt::format("began on {} before it could be told otherwise",
                             fmt::join(job.seen.nodes, " "))},
        {"nodes", job.seen.nodes},
        {"gpus", job.seen.gpus_held_count()}});
  order_stop(job, why_on(job), now);
}

/// A start may have to wait for those who save their work.
bool SlurmSite::somebody_leaves() const {
  return std::ranges::any_of(in_op_, [&](const std::string& ref) {
    const auto other = jobs_.find(ref);
    return other != jobs_.end() &&
           (other->second.op.kind == Op::saving || other->second.op.kind == Op::requeuing);
  });
}

void SlurmSite::compare_running(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone || seen.phase == Seen::ended) return tell_finished(job, now);
  if (seen.phase == Seen::running && is_where_it_should(job)) return;
  tell_interrupted(job, saves(job) ? done_by_now(job, now) : 0, now);
  if (seen.phase == Seen::pending && around_.permissions.holds && !seen.held)
    order_hold(job, "it was requeued, and waits for its turn", now);
}

void SlurmSite::compare_stopping(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone || seen.phase == Seen::ended) {
    finish_op(job, RequestState::refused, "it ended by itself", now);
    run_ends(job, now);
    if (job.runs) return tell_finished(job, now);
    return tell_withdrawn(job, now);
  }
  const bool new_run = !job.runs_seen.empty() && seen.phase == Seen::running && seen.started &&
                       *seen.started > job.runs_seen.back().started;
  if (seen.phase == Seen::pending && !seen.completing) return stopped(job, now);
  if (new_run) {  // it was requeued, and somebody else started it
    finish_op(job, RequestState::confirmed, "it stopped", now);
    run_ends(job, now);
    if (job.runs) return tell_interrupted(job, 0, now);
    return compare_queued(job, now);
  }
  if (now - job.op.since <= options_.stop_patience) return;
  finish_op(job, RequestState::refused, "it did not stop", now);
  note(now, &job, "does not stop", {{"text", "did not stop when it was told to; it goes on"}});
  if (job.runs) return tell_interrupted(job, 0, now);
  compare_queued(job, now);
}

void SlurmSite::stopped(TrackedJob& job, Time now) {
  finish_op(job, RequestState::confirmed, "it stopped", now);
  run_ends(job, now);
  keep_what_is_saved(job);
  if (job.runs) return order_start(job, why_on(job), now);
  if (around_.permissions.holds && !job.seen.held) order_hold(job, "it waits for its turn", now);
}

/// As many on the same nodes.
bool SlurmSite::has_gpus_of(const SlurmJob& seen, const Placement& where) const {
  std::map<NodeId, std::uint32_t> asked;
  for (const GpuRange& range : where)
    asked[around_.cluster.node_of[range.first.index]] += range.count;
  std::map<NodeId, std::uint32_t> has;
  for (const SlurmJob::Held& held : seen.gpus_held)
    if (const auto node = mirror_.find(held.node))
      has[*node] += static_cast<std::uint32_t>(held.indices.size());
  return asked == has;
}

bool SlurmSite::is_where_it_should(const TrackedJob& job) const {
  const bool same_run = job.runs_seen.empty() || job.runs_seen.back().ended || !job.seen.started ||
                        job.op.kind == Op::starting ||
                        *job.seen.started <= job.runs_seen.back().started;
  return same_run && has_gpus_of(job.seen, job.where);
}

bool SlurmSite::is_foreign(const SlurmJob& job) const {
  if (job.phase != Seen::running) return false;
  const auto ours = jobs_.find(job.ref);
  return ours == jobs_.end() || (ours->second.handed_over && !ours->second.id);
}

}  // namespace penstock
