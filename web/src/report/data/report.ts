import { decode, type Numbers, real } from './columns';
import { type Block, type Column, type Head, type Run, Unreadable } from './head';

type Table = 'jobs' | 'stretches' | 'reasons';

/// Who was submitted; times in seconds, since the origin where they are moments.
export interface Population {
  rows: number;
  name: Numbers;
  kind: Numbers | null;
  user: Numbers | null;
  home: Numbers | null;
  submitted: Float64Array;
  gpus: Float64Array;
  requested: Float64Array;
  deadline: Float64Array;
}

/// What one site did, a row per sample.
export interface Timeline {
  site: number;
  thinned: number;
  time: Float64Array;
  column(name: string): Float64Array;
}

export interface Reasons {
  time: Float64Array;
  text: string[];
}

/// A report whose columns are decoded when somebody first asks for them.
export class Report {
  private kept = new Map<string, unknown>();
  constructor(
    readonly head: Head,
    private readonly blob: Uint8Array,
  ) {}

  private once<T>(key: string, make: () => T): T {
    if (!this.kept.has(key)) this.kept.set(key, make());
    return this.kept.get(key) as T;
  }

  text(i: number): string {
    return this.head.texts[i] ?? '';
  }

  /// A column as stored, or null if the report has none of that name.
  private raw(block: Block | null | undefined, name: string): Numbers | null {
    const column = block?.columns?.[name];
    return column ? decode(this.source(column), this.blob) : null;
  }

  private source(column: Column): Column {
    for (let hops = 0, at = column; hops < 16; ++hops) {
      if (!at.same_as) return at;
      const [index, table, name] = at.same_as;
      const block = table === 'populations' ? this.head.populations[index] : (this.head.runs[index]?.[table as Table] as Block | null);
      const next = block?.columns?.[name];
      if (!next) break;
      at = next;
    }
    throw new Unreadable('A column refers to another that is not there: the head of the report is damaged.');
  }

  /// A column of a run's jobs in seconds, GPUs, MHz, kWh …; NaN where it is undefined, and everywhere if there is no such column.
  job(run: number, name: string): Float64Array {
    return this.once(`${run}/${name}`, () => {
      const { jobs, time_unit_s } = this.head.runs[run];
      const isTime = name === 'wait' || name === 'run' || name === 'held' || name === 'tardiness';
      const raw = this.raw(jobs, name);
      return raw ? real(raw, isTime ? time_unit_s : 1) : new Float64Array(jobs?.rows ?? 0).fill(NaN);
    });
  }

  hasJob(run: number, name: string): boolean {
    const column = this.head.runs[run].jobs?.columns?.[name];
    return column !== undefined && !(column.enc === 'const' && (column.value === null || column.value === undefined));
  }

  /// Completion times: finish minus submission.
  jct(run: number): Float64Array {
    return this.once(`${run}/jct`, () => {
      const wait = this.job(run, 'wait');
      const took = this.job(run, 'run');
      return wait.map((w, i) => w + took[i]);
    });
  }

  /// Bounded slowdowns: max(1, completion time / max(held, 10 s)).
  slowdown(run: number): Float64Array {
    return this.once(`${run}/slowdown`, () => {
      const jct = this.jct(run);
      const held = this.hasJob(run, 'held') ? this.job(run, 'held') : this.job(run, 'run');
      return jct.map((t, i) => Math.max(1, t / Math.max(held[i], 10)));
    });
  }

  population(index: number | null): Population | null {
    const block = index === null ? null : this.head.populations[index];
    if (!block) return null;
    return this.once(`population ${index}`, () => {
      const unit = this.head.runs.find((r) => r.population === index)?.time_unit_s ?? 1;
      const column = (name: string, scale = 1) => {
        const raw = this.raw(block, name);
        return raw ? real(raw, scale) : new Float64Array(block.rows).fill(NaN);
      };
      return {
        rows: block.rows,
        name: this.raw(block, 'name') ?? new Int32Array(block.rows),
        kind: this.raw(block, 'kind'),
        user: this.raw(block, 'user'),
        home: this.raw(block, 'home'),
        submitted: column('submitted', unit),
        gpus: column('gpus'),
        requested: column('requested', unit),
        deadline: column('deadline', unit),
      };
    });
  }

  /// A column of a run's stretches as stored (times in time units), or null.
  stretch(run: number, name: string): Numbers | null {
    return this.once(`${run}/stretch ${name}`, () => this.raw(this.head.runs[run].stretches, name));
  }

  timelines(run: number): Timeline[] {
    return this.once(`${run}/timelines`, () => {
      const { timeline, time_unit_s } = this.head.runs[run];
      return (timeline?.sites ?? []).map((block) => ({
        site: block.site,
        thinned: block.thinned ?? 1,
        time: real(this.raw(block, 'time') ?? new Int32Array(0), time_unit_s),
        column: (name: string) =>
          this.once(`${run}/${block.site}/${name}`, () => {
            const raw = this.raw(block, name);
            return raw ? real(raw) : new Float64Array(block.rows).fill(NaN);
          }),
      }));
    });
  }

  reasons(run: number): Reasons | null {
    const block = this.head.runs[run].reasons;
    if (!block || block.rows === 0) return null;
    return this.once(`${run}/reasons`, () => ({
      time: real(this.raw(block, 'time') ?? new Int32Array(block.rows), this.head.runs[run].time_unit_s),
      text: Array.from(this.raw(block, 'text') ?? [], (i) => this.text(i)),
    }));
  }
}

/// Milliseconds since 1970 of a run's time origin; null where it has no calendar.
export function originOf(run: Run): number | null {
  const ms = run.time_origin ? Date.parse(run.time_origin) : NaN;
  return Number.isFinite(ms) ? ms : null;
}
