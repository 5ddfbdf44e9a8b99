import { Store } from '../parts/store';
import { TimeLink } from '../parts/time-link';
import { originOf, type Report } from './data/report';

/// What the charts over time show: a run, perhaps another over it, one site or all (−1).
export interface Chosen {
  run: number;
  other: number;
  site: number;
}

/// The choice and the time axis that all charts over time share.
export class TimeState {
  readonly chosen: Store<Chosen>;
  readonly link: TimeLink;
  constructor(private readonly report: Report) {
    const first = Math.max(0, report.head.runs.findIndex((r) => r.timeline || r.stretches));
    this.chosen = new Store({ run: first, other: -1, site: -1 });
    this.link = new TimeLink(this.span(), this.origin());
    this.chosen.watch(() => this.link.extend(this.span(), this.origin()));
  }

  origin(): number | null {
    const run = this.report.head.runs[this.chosen.get().run];
    return run ? originOf(run) : null;
  }

  /// Seconds from the origin of the shared axis to that of `run`.
  shift(run: number): number {
    const own = originOf(this.report.head.runs[run]);
    const axis = this.origin();
    return own === null || axis === null ? 0 : (own - axis) / 1000;
  }

  private span() {
    const { run, other } = this.chosen.get();
    const ends = [run, other].filter((r) => r >= 0 && this.report.head.runs[r]).map((r) => this.shift(r) + this.lastTime(r));
    return { from: 0, to: Math.max(1, ...ends) };
  }

  private lastTime(run: number): number {
    const makespan = this.report.head.runs[run].summary.makespan_s;
    const lines = this.report.timelines(run).map((t) => t.time[t.time.length - 1] ?? 0);
    return Math.max(typeof makespan === 'number' ? makespan : 0, ...lines);
  }
}
