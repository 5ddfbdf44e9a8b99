// What Slurm shows, against what the scheduler believes.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/job_from_slurm.h"
#include "live/slurm_site.h"

namespace penstock {
namespace {

using Deed = TrackedJob::Deed;
using Seen = SlurmJob::Phase;

constexpr std::string_view kHeldMark = "penstock: held";
constexpr std::string_view kReleasedMark = "penstock: released";
constexpr std::string_view kLeftMark = "penstock: left";
constexpr Duration kSettle = std::chrono::milliseconds(1500);  // between two runs of one job
constexpr std::size_t kSingles = 16;  // jobs are asked about one by one while no more change
constexpr Duration kBetweenLooks = std::chrono::milliseconds(400);
constexpr Duration kBetweenReleases = std::chrono::seconds(10);
constexpr Duration kLongestPause = std::chrono::minutes(10);  // after starts that failed

bool begins_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// The GPUs of one run on one node.
std::string foreign_key(const SlurmJob& job, const SlurmJob::Held& held) {
  return fmt::format("{}@{}#{}*{}", job.ref, held.node,
                     job.started.value_or(Time{}).time_since_epoch().count(), held.indices.size());
}

bool is_held_for_us(const SlurmJob& job) {
  return job.held && begins_with(job.admin_comment, kHeldMark);
}

}  // namespace

bool SlurmSite::governs(const SlurmJob& job) const {
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  return in(options_.partitions, job.partition) && in(options_.users, job.user);
}

void SlurmSite::see(SlurmJob job) {
  if (!governs(job)) {
    // Whoever changed its partition took it from us; what was held for us must not wait for ever.
    const auto known = jobs_.find(job.ref);
    if (known == jobs_.end() && !is_held_for_us(job)) return;
  }
  if (job.phase != Seen::ended) told_ends_.erase(job.ref);
  if (job.phase == Seen::ended && told_ends_.contains(job.ref)) return;
  const auto [at, is_new] = jobs_.try_emplace(job.ref);
  TrackedJob& tracked = at->second;
  tracked.seen = std::move(job);
  tracked.gone = false;
  if (!is_new) return;
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
    if (is_over) in_deed_.erase(each.first);
    return is_over && !left_.contains(each.first);
  });
  if (saw_nodes_) compare_nodes(now);
}

void SlurmSite::compare(TrackedJob& job, Time now) {
  if (was_told_apart(job)) return;
  if (!job.id) return compare_untold(job, now);
  if (job.deed == Deed::saving || job.deed == Deed::requeuing) return compare_stopping(job, now);
  if (!job.runs) return compare_queued(job, now);
  if (job.deed == Deed::starting) return compare_starting(job, now);
  compare_running(job, now);
}

bool SlurmSite::may_be_told(const TrackedJob& job, Time now) const {
  const SlurmJob& seen = job.seen;
  if (seen.phase == Seen::running) return true;
  if (job.not_before && now < *job.not_before) return false;
  if (seen.completing || seen.reason == "dependency" || seen.reason == "begin_time") return false;
  return !seen.held || is_held_for_us(seen);  // its owner holds it
}

void SlurmSite::compare_untold(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone || seen.phase == Seen::ended) return note_end_unseen(job, now);
  if (job.handed_over) return release_for_good(job, "it was left to Slurm", now);
  if (!may_be_told(job, now)) return;
  auto made = governs(seen) ? job_from_slurm(job, options_, around_.cluster, around_.beliefs)
                            : std::variant<Job, std::string>("it left the governed partitions");
  if (const auto* why = std::get_if<std::string>(&made)) {
    job.handed_over = true;
    note(now, &job, "left to Slurm", {{"text", "left to Slurm: " + *why}});
    return release_for_good(job, *why, now);
  }
  if (is_from_pool(job, now)) return;
  submitted_.push_back(std::move(std::get<Job>(made)));
  tell_submitted(job, now);
  if (seen.phase == Seen::running) {
    tell_started(job, now);
    return;
  }
  const bool was_released = begins_with(seen.admin_comment, kReleasedMark);
  if (around_.wheel.holds && !seen.held && !was_released)
    order_hold(job, "it waits for its turn", now);
  if (!around_.wheel.holds && is_held_for_us(seen))
    order_release(job, kReleasedMark, "Penstock does not hold jobs at present", now);
}

/// Asked again until Slurm shows it: nobody else would let it go.
void SlurmSite::release_for_good(TrackedJob& job, const std::string& why, Time now) {
  if (!is_held_for_us(job.seen) || now < job.try_again.value_or(now)) return;
  job.try_again = now + kBetweenReleases;
  order_release(job, kLeftMark, why, now);
}

void SlurmSite::compare_queued(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone || seen.phase == Seen::ended) return tell_withdrawn(job, now);
  if (job.not_before) return tell_withdrawn(job, now);
  if (seen.phase == Seen::running) tell_started(job, now);
}

void SlurmSite::compare_starting(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone) return tell_interrupted(job, 0, now);
  if (seen.phase == Seen::ended) {
    const bool ran = seen.started && *seen.started >= job.deed_since - std::chrono::seconds(2) &&
                     !seen.nodes.empty();
    if (!ran) return tell_interrupted(job, 0, now);
    run_begins(job);
    finish_deed(job, RequestState::confirmed, "it ran", now);
    return tell_finished(job, now);
  }
  if (seen.phase == Seen::running) {
    const bool as_asked = is_where_it_should(job);
    finish_deed(job, as_asked ? RequestState::confirmed : RequestState::refused,
                as_asked ? "it runs" : "it runs elsewhere", now);
    if (!as_asked) return tell_interrupted(job, 0, now);
    job.confirmed = true;
    job.failed_starts = 0;
    run_begins(job);
    note(now, &job, "runs",
         {{"text", fmt::format("runs on {} with {} GPUs", fmt::join(seen.nodes, " "),
                               seen.gpus_held_count())},
          {"nodes", seen.nodes},
          {"gpus", seen.gpus_held_count()}});
    return;
  }
  // Whoever must leave before it is given its own time.
  const bool others_leave = std::ranges::any_of(in_deed_, [&](const std::string& ref) {
    const auto other = jobs_.find(ref);
    return other != jobs_.end() &&
           (other->second.deed == Deed::saving || other->second.deed == Deed::requeuing);
  });
  if (now - job.deed_since > options_.start_patience && !others_leave)
    return undo_start(job,
                      fmt::format("Slurm did not start it within {} s: {}",
                                  options_.start_patience.count() / 1000, seen.reason),
                      now);
  const bool forgotten = seen.held && job.try_again && now >= *job.try_again;
  if (forgotten)
    order_start(job, job.request == 0 ? "goes on elsewhere" : "once more: Slurm still holds it",
                now);
}

void SlurmSite::compare_running(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone || seen.phase == Seen::ended) return tell_finished(job, now);
  if (seen.phase == Seen::running && is_where_it_should(job)) return;
  const bool saves =
      job.wish.checkpoint || (job.wish.gpus && job.wish.gpus->least < job.wish.gpus->most);
  tell_interrupted(job, saves ? done_by_now(job, now) : 0, now);
  if (seen.phase == Seen::pending && around_.wheel.holds && !seen.held)
    order_hold(job, "it was requeued, and waits for its turn", now);
}

void SlurmSite::compare_stopping(TrackedJob& job, Time now) {
  const SlurmJob& seen = job.seen;
  if (job.gone || seen.phase == Seen::ended) {
    finish_deed(job, RequestState::refused, "it ended by itself", now);
    run_ends(job, now);
    if (job.runs) return tell_finished(job, now);
    return tell_withdrawn(job, now);
  }
  const bool new_run = !job.runs_seen.empty() && seen.phase == Seen::running && seen.started &&
                       *seen.started > job.runs_seen.back().started;
  if (seen.phase == Seen::pending && !seen.completing) return stopped(job, now);
  if (new_run) {  // it was requeued, and somebody else started it
    finish_deed(job, RequestState::confirmed, "it stopped", now);
    run_ends(job, now);
    if (job.runs) return tell_interrupted(job, 0, now);
    return compare_queued(job, now);
  }
  if (now - job.deed_since <= options_.stop_patience) return;
  finish_deed(job, RequestState::refused, "it did not stop", now);
  note(now, &job, "does not stop", {{"text", "did not stop when it was told to; it goes on"}});
  if (job.runs) return tell_interrupted(job, 0, now);
  compare_queued(job, now);
}

void SlurmSite::stopped(TrackedJob& job, Time now) {
  finish_deed(job, RequestState::confirmed, "it stopped", now);
  run_ends(job, now);
  if (job.runs) {
    // Slurm may still be ending what it knows by the same number on the node: a new run that
    // comes at once can be hit by the signals meant for the old one.
    job.deed = Deed::starting;
    job.deed_since = now;
    job.confirmed = false;
    job.try_again = now + kSettle;
    in_deed_.insert(job.seen.ref);
    return;
  }
  if (around_.wheel.holds && !job.seen.held) order_hold(job, "it waits for its turn", now);
}

bool SlurmSite::is_where_it_should(const TrackedJob& job) const {
  std::map<NodeId, std::uint32_t> asked;
  for (const GpuRange& range : job.where)
    asked[around_.cluster.node_of[range.first.index]] += range.count;
  std::map<NodeId, std::uint32_t> has;
  for (const SlurmJob::Held& held : job.seen.gpus_held)
    if (const auto node = mirror_.find(held.node))
      has[*node] += static_cast<std::uint32_t>(held.indices.size());
  const bool same_run = job.runs_seen.empty() || job.runs_seen.back().ended || !job.seen.started ||
                        job.deed == Deed::starting ||
                        *job.seen.started <= job.runs_seen.back().started;
  return asked == has && same_run;
}

bool SlurmSite::is_foreign(const SlurmJob& job) const {
  const auto ours = jobs_.find(job.ref);
  if (ours == jobs_.end()) return job.phase == Seen::running;
  return job.phase == Seen::running && ours->second.handed_over && !ours->second.id;
}

void SlurmSite::see_foreign(const SlurmJob& job, Time now) {
  if (!is_foreign(job)) return;
  for (const SlurmJob::Held& held : job.gpus_held) {
    const std::string key = foreign_key(job, held);
    if (foreign_.contains(key) || held.indices.empty() || !mirror_.find(held.node)) continue;
    const auto where = place_of({held}, now);
    if (where)
      foreign_.emplace(key, block("other/" + key, *where, job.submitted.value_or(now), now));
  }
}

void SlurmSite::forget_foreign(const std::vector<SlurmJob>& all) {
  std::set<std::string> still;
  for (const SlurmJob& job : all)
    if (is_foreign(job))
      for (const SlurmJob::Held& held : job.gpus_held) still.insert(foreign_key(job, held));
  std::erase_if(foreign_, [&](const auto& each) {
    if (still.contains(each.first)) return false;
    unblock(each.second);
    return true;
  });
}

void SlurmSite::compare_nodes(Time now) {
  for (const auto& [id, node] : nodes_) compare_node(id, node, now);
}

void SlurmSite::compare_node(NodeId id, const SlurmNode& node, Time now) {
  const std::uint32_t gpus = around_.cluster.node(id).gpus;
  const auto blocked = drained_.find(id);
  if (node.can_work()) {
    if (blocked != drained_.end()) {
      unblock(blocked->second);
      drained_.erase(blocked);
    }
    if (down_.erase(id) == 0) return;
    events_.emplace_back(NodeRepaired{id});
    note(now, nullptr, "node", {{"node", node.name}, {"text", node.name + " can work again"}});
    return;
  }
  if (down_.contains(id)) return;
  if (blocked == drained_.end())
    note(now, nullptr, "node",
         {{"node", node.name}, {"text", node.name + " gets no new jobs: " + node.trouble()}});
  for (auto& [ref, job] : jobs_) {
    const bool here = std::ranges::any_of(job.where, [&](const GpuRange& range) {
      return around_.cluster.node_of[range.first.index] == id;
    });
    if (here && job.deed == Deed::starting && job.seen.phase == Seen::pending &&
        !was_told_apart(job))
      undo_start(job, node.name + " cannot work", now);
  }
  const std::uint32_t own = blocked == drained_.end() ? 0 : gpu_count(blocked->second.where);
  if (mirror_.free_on(id) + own == gpus) {
    if (blocked != drained_.end()) {
      unblock(blocked->second);
      drained_.erase(blocked);
    }
    down_.insert(id);
    events_.emplace_back(NodeFailed{id});
    return;
  }
  if (mirror_.free_on(id) > 0) block_rest(id, now);
}

void SlurmSite::block_rest(NodeId node, Time now) {
  const auto blocked = drained_.find(node);
  if (blocked != drained_.end()) {
    unblock(blocked->second);
    drained_.erase(blocked);
  }
  Placement where;
  mirror_.pick(node, mirror_.free_on(node), where);
  drained_.emplace(node, block("drained/" + mirror_.name(node), where, now, now));
}

// Going on with what is under way.

void SlurmSite::continue_deeds(Time now) {
  watch_launches(now);
  const std::vector<std::string> refs(in_deed_.begin(), in_deed_.end());
  const bool asks = now >= next_singles_ && in_deed_.size() <= kSingles;
  if (asks) next_singles_ = now + kBetweenLooks;
  for (const std::string& ref : refs) {
    const auto found = jobs_.find(ref);
    if (found == jobs_.end() || found->second.deed == Deed::none) {
      in_deed_.erase(ref);
      continue;
    }
    TrackedJob& job = found->second;
    if (was_told_apart(job)) continue;
    if (job.deed == Deed::saving) {
      const bool saved = !job.progress.empty() && job.progress.back().saved &&
                         job.progress.back().when >= job.deed_since;
      if (saved || now - job.deed_since >= job.wish.grace)
        order_requeue(job, saved ? "its checkpoint is written" : "its time to save is over", now);
      continue;
    }
    if (job.deed == Deed::requeuing && job.try_again && now >= *job.try_again &&
        job.seen.phase == Seen::running && !job.seen.completing)
      order_requeue(job, "once more: it still runs", now);
    if (job.deed == Deed::starting) compare(job, now);
    if (asks) ask_about(ref);
  }
  if (in_deed_.size() > kSingles) next_jobs_ = std::min(next_jobs_, now + std::chrono::seconds(1));
}

void SlurmSite::undo_start(TrackedJob& job, const std::string& why, Time now) {
  const Duration pause = std::min<Duration>(
      kLongestPause, std::chrono::seconds(15) * (1 << std::min(job.failed_starts, 6u)));
  ++job.failed_starts;
  job.not_before = now + pause;
  finish_deed(job, RequestState::refused, why, now);
  note(now, &job, "start undone",
       {{"text", fmt::format("its start was undone: {}; next try in {} s at the earliest", why,
                             pause.count() / 1000)}});
  tell_interrupted(job, 0, now);
  order_hold(job, "its start was undone", now);  // it was released since Slurm last showed it
}

std::optional<std::string> SlurmSite::unwilling(JobId id) const {
  const TrackedJob* job = find(id);
  if (job == nullptr) return "it is not a job of ours";
  if (job->not_before) return "its last start failed; it rests";
  if (job->handed_over) return "it was left to Slurm";
  if (job->gone || job->seen.phase == Seen::ended) return "Slurm shows that it has ended";
  if (job->deed == Deed::none && job->seen.phase == Seen::running)
    return "Slurm has started it elsewhere";
  return std::nullopt;
}

}  // namespace penstock
