#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "engine/backend.h"
#include "live/bridge/bridge_link.h"
#include "live/job/beliefs.h"
#include "live/job/job_pool.h"
#include "live/job/tracked_job.h"
#include "live/journal_writer.h"
#include "live/site/gpu_mirror.h"
#include "live/site/shown_jobs.h"
#include "live/site/site_options.h"
#include "model/site_signals.h"

namespace penstock {

/// Numbers for jobs, one after the other over all sites.
class JobNumbers {
 public:
  JobId next() { return JobId{next_++}; }

 private:
  std::uint32_t next_ = 0;
};

/// Something to ask of the cluster, once it is in the journal.
struct SiteOrder {
  JournalRequest record{};
  std::string members{};  ///< of the bridge's request
  std::string ref{};      ///< of the job, if it is about one
  /// Hears the answer; null if there will be none. May be empty.
  std::function<void(const nlohmann::json& body)> then{};
};

/// What an agent is to do with a GPU of its node; others run as they like.
struct AgentOrder {
  std::uint32_t index = 0;
  std::uint32_t clock_mhz = 0;
  std::int64_t job = 0;
};

/// One Slurm cluster. What it shows, by polls and by hints, becomes events; actions become orders,
/// which are confirmed, or undone, by what it shows next. It keeps nothing that Slurm and the
/// journal do not know.
///
/// Nothing is sent by itself but questions: orders wait until they are taken, journalled and
/// dispatched.
class SlurmSite {
 public:
  /// All must outlive it.
  struct Surroundings {
    const Cluster& cluster;
    LiveBeliefs& beliefs;
    Wire& link;
    JobNumbers& numbers;
    const SitePermissions& permissions;
    JobPool& pool;
    const Agents* agents = nullptr;  ///< what they measure; nothing without them
    std::span<const SiteSignals>
        signals{};  ///< by site; without them what nobody saw costs nothing
  };
  SlurmSite(SiteOptions options, const Surroundings& around);

  const SiteOptions& options() const { return options_; }

  // What happens.
  /// Takes in what the bridge has said, and asks again when it is time.
  void attend(Time now);
  /// When attend() should be called even if the bridge says nothing.
  Time next_look() const { return next_look_; }
  bool has_news() const { return !events_.empty() || measure_now_; }
  /// Adds what has happened to a batch; what must not be told with it is kept for the next.
  void tell(Batch& batch);
  std::vector<JournalEntry> take_notes() { return std::exchange(notes_, {}); }

  // What is to be done.
  bool knows(JobId job) const { return by_id_.contains(job.index); }
  /// An action that the scheduler's state already shows.
  void execute(const Action& action, const std::string& reason, Time now);
  std::vector<SiteOrder> take_orders() { return std::exchange(orders_, {}); }
  void dispatch(SiteOrder order);
  /// An order that could not be journalled: it is as if the cluster had said no.
  void drop(const SiteOrder& order, const std::string& why, Time now);
  std::vector<JournalAnswer> take_answers() { return std::exchange(answers_, {}); }
  /// Releases all jobs that are held for us, to Slurm's own scheduler.
  void let_go(const std::string& reason, Time now);
  using Then = std::function<void(const nlohmann::json& body)>;
  /// False if there is no such job.
  bool cancel(const std::string& ref, const std::string& reason, Time now, Then then = {});
  /// `members` are those of the bridge's request `submit`.
  void submit(std::string members, const std::string& reason, Time now, Then then);
  /// Submits a job of the pool, and starts it: the scheduler's state shows it running there.
  void launch(PooledJob& job, const Start& start, const std::string& reason, Time now);
  /// Why a job that runs as asked must not have these GPUs; nothing if it may.
  std::optional<std::string> misshapen(JobId job, const Placement& where) const;
  /// It is Slurm's to start from now on, as it came. It must wait.
  void leave(JobId job, const std::string& why, Time now);
  /// Why a start of the job would be useless at present; nothing if it would not.
  std::optional<std::string> unwilling(JobId job) const;

  // What is known.
  const TrackedJob* find(JobId job) const;
  const TrackedJob* find(const std::string& ref) const;
  const std::map<std::string, TrackedJob, RefOrder>& jobs() const { return jobs_; }
  /// Jobs that have ended and were told as such; forgets it.
  std::optional<TrackedJob> take_ended(JobId job);
  const GpuMirror& mirror() const { return mirror_; }
  std::vector<AgentOrder> plan_for(const std::string& node) const;
  void progress(const std::string& ref, const JobProgress& told);
  using LastWords = std::function<std::optional<JobProgress>(const TrackedJob& job, Time now)>;
  /// Who is asked, when a run has ended, for what the job said last: a checkpoint is written at the
  /// very end.
  void ask_at_end(LastWords last_words) { last_words_ = std::move(last_words); }
  /// What an earlier life of ours wrote of a job: its runs, and the work it had done.
  void remember(const std::string& ref, const LiveRun& run);
  /// What the scheduler billed a job that it was told to forget, and that may come again.
  void keep_bill(JobId job, const Bill& bill);
  /// The same: this job's end is written down.
  void remember_end(const std::string& ref) { told_ends_.insert(ref); }
  /// The same: what its user asked for when it was first seen.
  void remember_asked(const std::string& ref, const TrackedJob::Asked& asked) {
    asked_before_.try_emplace(ref, asked);
  }
  /// What ended before this is no business of ours.
  void begin_at(Time when) { begins_ = when; }
  bool answers() const { return answers_well_; }  ///< the last poll was answered
  const std::string& trouble() const { return trouble_; }
  bool has_looked() const { return looked_; }  ///< at jobs and nodes, at least once
  std::uint64_t errors() const { return errors_; }
  std::uint64_t polls() const { return polls_; }

 private:
  enum class Asked : std::uint8_t { jobs, one_job, nodes, order };
  struct Question {
    Asked what = Asked::jobs;
    SiteOrder order{};
    std::string ref{};
  };
  /// GPUs that are not for us: somebody else's job, or a node that must not get new jobs.
  struct Blocker {
    JobId id{};
    Placement where{};
  };

  /// A job of the pool between its submission and its being shown.
  struct Launch {
    JobId id{};
    Placement where{};
    std::uint32_t clock_mhz = 0;
    Time since{};
    std::optional<std::int64_t> job{};  ///< its number, once Slurm has said that it takes it
  };
  using Launches = std::map<std::int64_t, Launch>;  ///< by number in the pool

  // Listening.
  void hear(const BridgeMessage& message, Time now);
  void hear_answer(const Question& question, const nlohmann::json& body, Time now);
  static bool tells(Asked what, const nlohmann::json& body);
  void hear_lost(const Question& question, Time now);
  void hear_jobs(const nlohmann::json& body, Time now);
  void hear_one_job(const std::string& ref, const nlohmann::json& body, Time now);
  void hear_nodes(const nlohmann::json& body, Time now);
  void hear_order(const Question& question, const nlohmann::json& body, Time now);
  void fail_order(const SiteOrder& order, const std::string& code, const std::string& text,
                  Time now);
  void ask(Question question, std::string_view members);
  void ask_when_due(Time now);
  void ask_about(const std::string& ref);

  // What Slurm shows, against what the scheduler believes.
  void look_at(const std::string& ref, const ShownJobs::Shown& shown);
  bool governs(const SlurmJob& job) const { return !why_not_ours(job); }
  std::optional<std::string> why_not_ours(const SlurmJob& job) const;
  void see(SlurmJob job);
  static void note_shape(TrackedJob& job);
  void recall(TrackedJob& tracked);
  void see_foreign(const SlurmJob& job, Time now);
  void see_all_foreign(Time now);
  bool is_foreign(const SlurmJob& job) const;
  void forget_foreign();
  void compare_all(Time now);
  void compare(TrackedJob& job, Time now);
  void compare_untold(TrackedJob& job, Time now);
  void release_for_good(TrackedJob& job, const std::string& why, Time now);
  void compare_queued(TrackedJob& job, Time now);
  void compare_running(TrackedJob& job, Time now);
  bool slurm_makes_it_wait(TrackedJob& job, Time now);
  void compare_starting(TrackedJob& job, Time now);
  void compare_stopping(TrackedJob& job, Time now);
  void stopped(TrackedJob& job, Time now);
  void compare_nodes(Time now);
  void compare_node(NodeId id, const SlurmNode& node, Time now);
  void stays_awake(NodeId id);
  void node_works(NodeId id, const SlurmNode& node, Time now);
  void block_rest(NodeId node, Time now);
  void unblock_node(NodeId node);
  void undo_starts_on(NodeId id, const std::string& name, Time now);
  bool is_on(const TrackedJob& job, NodeId node) const;
  void confirm_start(TrackedJob& job, Time now);
  void bring_on(TrackedJob& job, Time now);
  bool somebody_leaves() const;
  bool waits_for_others(const SlurmJob& job) const;
  bool may_be_told(const TrackedJob& job, Time now) const;
  bool is_where_it_should(const TrackedJob& job) const;
  bool has_gpus_of(const SlurmJob& seen, const Placement& where) const;

  // Telling the scheduler.
  void tell_submitted(TrackedJob& job, Time now);
  bool tell_started(TrackedJob& job, Time now);
  void tell_finished(TrackedJob& job, Time now);
  void tell_withdrawn(TrackedJob& job, Time now);
  void tell_interrupted(TrackedJob& job, double kept, Time now);
  std::optional<Placement> place_of(const std::vector<SlurmJob::Held>& held, Time now);
  void make_room(NodeId node, std::uint32_t gpus, Time now);
  void undo_start(TrackedJob& job, const std::string& why, Time now);
  Blocker block(const std::string& name, const Placement& where, Time submitted, Time now);
  void unblock(const Blocker& blocker);
  void set_where(TrackedJob& job, const Placement& where);
  void clear_where(TrackedJob& job);
  bool was_told_apart(const TrackedJob& job) const { return left_.contains(job.seen.ref); }

  // What is measured.
  void seen_working(TrackedJob& job, Time now);
  std::optional<JobMeasured> measured(TrackedJob& job, Time now);
  void measure_end(TrackedJob& job, Time now);
  void measure_when_due(Time now);
  void bring_bills_up_to_date(Time now);
  void tell_measured(Batch& batch);
  Pace modelled(const TrackedJob& job) const;
  Watts draw_of(const TrackedJob& job, Time now) const;
  double seconds_off(const TrackedJob& job) const;
  JobMeasured::Progress progress_at_start(TrackedJob& job) const;
  std::optional<JobMeasured::Progress> news_of_progress(TrackedJob& job);
  std::optional<Watts> drew_since(TrackedJob& job, Time now);
  Watts waited_draw(TrackedJob& job, Duration waited) const;
  void keep_what_is_saved(TrackedJob& job);
  static bool is_elastic(const TrackedJob& job);
  static bool saves(const TrackedJob& job);
  static double done_in_runs(const TrackedJob& job);

  // Runs, as they really were.
  void run_begins(TrackedJob& job);
  static void watch_run(TrackedJob& job, const LiveRun::Watched& watched);
  Watts usual_draw(const TrackedJob& job) const;
  void run_ends(TrackedJob& job, Time now);
  double done_by_now(const TrackedJob& job, Time now) const;
  std::optional<Duration> lag_of(const TrackedJob& job) const;

  // Orders.
  void on(const Start& a, const std::string& reason, Time now);
  void on(const Preempt& a, const std::string& reason, Time now);
  void on(const Resize& a, const std::string& reason, Time now);
  void on(const Migrate& a, const std::string& reason, Time now);
  void on(const SetClock& a, const std::string& reason, Time now);
  void on(const SetBatch& a, const std::string& reason, Time now);
  void on(const Sleep& a, const std::string& reason, Time now);
  void on(const Wake& a, const std::string& reason, Time now);
  void on(const Route& a, const std::string& reason, Time now);
  void move(JobId id, const Placement& where, const std::string& reason, Time now);
  bool must_settle(TrackedJob& job, Time now);
  void order_start(TrackedJob& job, const std::string& reason, Time now);
  void order_stop(TrackedJob& job, const std::string& reason, Time now);
  void order_requeue(TrackedJob& job, const std::string& reason, Time now);
  void order_hold(TrackedJob& job, const std::string& reason, Time now);
  void order_release(TrackedJob& job, std::string_view mark, const std::string& reason, Time now);
  void order(TrackedJob* job, const std::string& verb, std::string members,
             const std::string& reason, Time now);
  static bool shows_later(std::string_view verb);
  TrackedJob* waiting_for(const SiteOrder& order);
  void close_request(TrackedJob& job, RequestState state, const std::string& text, Time now);
  void finish_op(TrackedJob& job, RequestState state, const std::string& text, Time now);
  void continue_ops(Time now);
  void continue_op(TrackedJob& job, Time now);
  void note(Time now, const TrackedJob* job, const std::string& what, const nlohmann::json& detail);
  void note_end_unseen(TrackedJob& job, Time now);
  std::variant<Job, std::string> governed(TrackedJob& job);
  void hear_launched(std::int64_t number, const nlohmann::json& body, Time now);
  std::optional<std::int64_t> number_in_pool(const SlurmJob& seen) const;
  Launches::iterator launch_of(const SlurmJob& seen);
  void adopt(Launches::iterator launched, TrackedJob& job, Time now);
  bool is_second_copy(TrackedJob& job, Time now);
  void give_back(std::int64_t number, const std::string& why, Time now);
  void watch_launches(Time now);
  TrackedJob& job_of(JobId id) { return jobs_.at(by_id_.at(id.index)); }

  SiteOptions options_;
  Surroundings around_;
  GpuMirror mirror_;
  ShownJobs shown_;
  std::unordered_set<std::int64_t> not_over_;         ///< jobs and arrays, by the last poll
  std::map<std::string, TrackedJob, RefOrder> jobs_;  ///< by ref
  std::unordered_map<std::uint32_t, std::string> by_id_;
  std::map<std::string, Blocker, std::less<>> foreign_;  ///< by run and node
  Launches launches_;
  std::map<NodeId, Blocker> drained_;  ///< nodes whose free GPUs are blocked
  std::map<NodeId, SlurmNode> nodes_;
  std::set<NodeId> down_;  ///< told as failed
  std::map<std::uint32_t, TrackedJob> ended_;
  std::unordered_map<std::uint32_t, std::string> withdrawn_;  ///< refs, until their bill is told
  std::map<std::string, std::vector<LiveRun>, std::less<>> remembered_;
  std::map<std::string, TrackedJob::Asked, std::less<>> asked_before_;
  std::set<std::string, std::less<>> told_ends_;  ///< of jobs that Slurm still shows

  std::unordered_map<std::uint64_t, Question> questions_;
  bool jobs_asked_ = false;
  bool nodes_asked_ = false;
  std::int64_t jobs_since_ = 0;
  std::set<std::string, std::less<>> single_;  ///< jobs to be asked about next
  std::set<std::string, std::less<>> in_op_;   ///< jobs with something under way
  Time next_jobs_{};
  Time next_nodes_{};
  Time next_singles_{};
  Time next_look_{};
  Time begins_{};
  bool answers_well_ = false;
  bool saw_jobs_ = false;
  bool saw_nodes_ = false;
  bool looked_ = false;
  std::string trouble_;
  std::uint64_t errors_ = 0;
  std::uint64_t polls_ = 0;

  std::vector<Event> events_;
  std::vector<Job> submitted_;
  std::set<std::string, std::less<>> left_;   ///< told to have stopped in the batch being gathered
  std::set<std::string, std::less<>> again_;  ///< the same of the last one: to be looked at anew
  std::set<std::string, std::less<>> to_measure_;  ///< of whom there is something to tell
  std::vector<Event> last_measured_;               ///< of those that end
  Time measure_by_ = Time::max();
  bool measure_now_ = false;
  Time last_bills_{};
  std::uint64_t batch_ = 1;
  LastWords last_words_;
  std::vector<SiteOrder> orders_;
  std::set<std::string> releasing_;  ///< jobs that Slurm was asked to let go, until it answers
  std::vector<JournalAnswer> answers_;
  std::vector<JournalEntry> notes_;
};

}  // namespace penstock
