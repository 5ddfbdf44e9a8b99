import { Store } from '../../parts/store';
import { type Api, reasonOf, Refused } from './api';
import type { DaemonState, DecisionShown, History, JobColumns, JobRow, Savings, SiteShown } from './api-types';
import type { ServerEvent } from './event-text';
import { Follower, type Link } from './follower';
import { JobStore } from './jobs';
import { Pace } from './pace';

/// What is known of the savings: they take the daemon a while.
export interface SavingsShown {
  savings: Savings | null;
  trouble: string | null;
  asking: boolean;
}

/// Every so often what is shown is asked for again even if nothing happens, in ms.
const every = { overview: 5_000, decisions: 20_000, history: 60_000, jobs: 60_000, savings: 15 * 60_000 };
/// More jobs than that are cheaper to ask for all together; also keeps addresses short.
const mostNamed = 200;
const decisionsShown = 100;

/// Everything the page shows, kept up to date: events say what changed, and what they do not carry is asked for, at
/// most about once a second whatever comes.
export class Live {
  readonly state = new Store<DaemonState | null>(null);
  readonly sites = new Store<SiteShown[]>([]);
  readonly history = new Store<History | null>(null);
  readonly decisions = new Store<DecisionShown[] | null>(null);
  readonly savings = new Store<SavingsShown>({ savings: null, trouble: null, asking: false });
  readonly jobs = new JobStore();
  /// JobStore.version as it is to be drawn.
  readonly jobsDrawn = new Store(-1);
  readonly link = new Store<Link>('connecting');
  readonly trouble = new Store<string | null>(null);
  /// When the daemon last said what it is, on the page's clock.
  readonly heardAt = new Store<number | null>(null);
  /// The ids of jobs that something was heard of last.
  readonly touched = new Store<ReadonlySet<string>>(new Set());
  readonly wantsToken = new Store(false);

  private readonly follower: Follower;
  private readonly changed = new Set<string>();
  private timers: ReturnType<typeof setInterval>[] = [];
  private readonly overviewPace = new Pace(1000, () => this.askOverview());
  private readonly decisionsPace = new Pace(1000, () => this.askDecisions(), 200);
  private readonly changedPace = new Pace(1000, () => this.askChanged());
  private readonly jobsPace = new Pace(2000, () => this.askJobs());
  private readonly historyPace = new Pace(10_000, () => this.askHistory());
  private readonly savingsPace = new Pace(5_000, () => this.askSavings(), 1500);

  constructor(
    readonly api: Api,
    /// Draws soon: once for all that came before the next picture.
    private readonly soon: (draw: () => void) => void = (draw) => requestAnimationFrame(draw),
  ) {
    this.follower = new Follower({
      open: (after, signal) => api.events(after, signal),
      heard: (events) => this.hear(events),
      linked: (link, why) => this.linked(link, why),
    });
  }

  start(): void {
    this.wantsToken.set(false);
    this.link.set('connecting');
    void this.follower.run();
    this.refresh();
    this.savingsPace.ask();
    this.timers = [
      setInterval(() => this.overviewPace.ask(), every.overview),
      setInterval(() => this.decisionsPace.ask(), every.decisions),
      setInterval(() => this.historyPace.ask(), every.history),
      setInterval(() => this.jobsPace.ask(), every.jobs),
      setInterval(() => this.savingsPace.ask(), every.savings),
    ];
  }

  stop(): void {
    this.follower.stop();
    this.timers.forEach(clearInterval);
    for (const pace of [this.overviewPace, this.decisionsPace, this.changedPace, this.jobsPace, this.historyPace, this.savingsPace]) pace.stop();
  }

  /// All but the savings, now.
  refresh(): void {
    this.follower.hurry();
    for (const pace of [this.overviewPace, this.jobsPace, this.decisionsPace, this.historyPace]) pace.ask();
  }

  askForSavings(): void {
    this.savingsPace.ask();
  }

  hear(events: ServerEvent[]): void {
    const touched = new Set<string>();
    for (const event of events) this.hearOne(event, touched);
    this.overviewPace.ask();
    this.drawJobs();
    if (touched.size > 0) this.touched.set(touched);
  }

  private hearOne({ event, data }: ServerEvent, touched: Set<string>): void {
    const told = parsed(data);
    if (event === 'skipped' || event === 'jobs' || told === null) return this.jobsPace.ask();
    const id = typeof told.id === 'string' ? told.id : typeof told.job === 'string' ? told.job : null;
    if (id !== null) touched.add(id);
    if (event === 'job' && isRow(told.row)) this.jobs.take(told.row);
    else if (event === 'job' && id !== null && told.state === 'ended') this.jobs.remove(id);
    else if (id !== null) this.lookAt(id);
    if (event === 'decision') this.decisionsPace.ask();
  }

  /// A job of which only is known that it changed.
  private lookAt(id: string): void {
    if (this.changed.size <= mostNamed) this.changed.add(id);
    this.changedPace.ask();
  }

  private linked(link: Link, why: unknown): void {
    const before = this.link.get();
    this.link.set(link);
    if (link === 'refused') this.refused(why);
    if (link === 'lost') this.trouble.set(reasonOf(why));
    if (link === 'live' && before !== 'live') {
      this.trouble.set(null);
      this.refresh();
    }
  }

  private refused(why: unknown): void {
    this.trouble.set(reasonOf(why));
    if (!(why instanceof Refused) || why.status !== 401) return;
    this.stop();
    this.wantsToken.set(true);
  }

  /// What was asked for, or null if it is not to be had; then the last answer stays.
  private async ask<T>(path: string): Promise<T | null> {
    try {
      return await this.api.get<T>(path);
    } catch (error) {
      this.trouble.set(reasonOf(error));
      if (error instanceof Refused && error.status === 401) this.refused(error);
      return null;
    }
  }

  private async askOverview(): Promise<void> {
    const [state, sites] = await Promise.all([this.ask<DaemonState>('/api/v1/state'), this.ask<{ sites: SiteShown[] }>('/api/v1/sites')]);
    if (state) this.state.set(state);
    if (sites) this.sites.set(sites.sites);
    if (!state || !sites) return;
    this.heardAt.set(Date.now());
    this.trouble.set(null);
    if (this.link.get() === 'lost') this.follower.hurry();
  }

  private async askDecisions(): Promise<void> {
    const answer = await this.ask<{ decisions: DecisionShown[] }>(`/api/v1/decisions?limit=${decisionsShown}`);
    if (answer) this.decisions.set(answer.decisions);
  }

  private async askHistory(): Promise<void> {
    const answer = await this.ask<History>('/api/v1/history');
    if (answer) this.history.set(answer);
  }

  private async askJobs(): Promise<void> {
    this.changed.clear();
    const answer = await this.ask<JobColumns>('/api/v1/jobs?format=columns');
    if (!answer) return;
    this.jobs.replace(answer);
    this.drawJobs();
  }

  private async askChanged(): Promise<void> {
    const ids = [...this.changed];
    this.changed.clear();
    if (ids.length > mostNamed) return this.jobsPace.ask();
    if (ids.length === 0) return;
    const answer = await this.ask<JobColumns>(`/api/v1/jobs?format=columns&ids=${ids.map(encodeURIComponent).join(',')}`);
    if (!answer) return;
    this.jobs.merge(answer, ids);
    this.drawJobs();
  }

  private async askSavings(): Promise<void> {
    const before = this.savings.get().savings;
    this.savings.set({ savings: before, trouble: null, asking: true });
    try {
      this.savings.set({ savings: await this.api.get<Savings>('/api/v1/savings', 300_000), trouble: null, asking: false });
    } catch (error) {
      this.savings.set({ savings: before, trouble: reasonOf(error), asking: false });
    }
  }

  private drawing = false;
  private drawJobs(): void {
    if (this.drawing || this.jobsDrawn.get() === this.jobs.version) return;
    this.drawing = true;
    this.soon(() => {
      this.drawing = false;
      this.jobsDrawn.set(this.jobs.version);
    });
  }
}

function parsed(data: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function isRow(row: unknown): row is JobRow {
  return typeof row === 'object' && row !== null && typeof (row as JobRow).id === 'string' && Array.isArray((row as JobRow).nodes);
}
