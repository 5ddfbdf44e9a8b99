import { colour, dash, shape, type Shape } from '../parts/palette';
import { Store } from '../parts/store';
import type { Head } from './data/head';
import { measure, spelled, value } from './data/measures';
import type { Report } from './data/report';

/// What all sections of a report share.
export class Shared {
  /// The run that others are compared with.
  readonly baseline: Store<number>;
  /// Which runs charts show when there are too many: the best `most` by a measure.
  readonly fold: Store<{ by: string; most: number }>;
  /// The job whose life is open: its row and the run it was picked in.
  readonly open = new Store<{ run: number; row: number } | null>(null);
  /// The data behind the head, once all of it is unpacked.
  readonly report = new Store<Report | null>(null);

  constructor(readonly head: Head) {
    this.baseline = new Store(head.baseline);
    this.fold = new Store({ by: 'jct_mean_s', most: 12 });
  }

  get isFolded(): boolean {
    return this.head.runs.length > 12;
  }

  /// The runs that charts show, in the order of the report.
  charted(): number[] {
    const all = this.head.runs.map((_, i) => i);
    if (!this.isFolded) return all;
    const { by, most } = this.fold.get();
    const sign = measure(by, this.head.inputs).better === 'higher' ? -1 : 1;
    const place = (i: number) => {
      const v = sign * value(this.head.runs[i], by);
      return Number.isNaN(v) ? Infinity : v;
    };
    const best = [...all].sort((a, b) => place(a) - place(b) || a - b).slice(0, most);
    if (!best.includes(this.baseline.get())) best[best.length - 1] = this.baseline.get();
    return best.sort((a, b) => a - b);
  }

  label(run: number): string {
    return this.head.runs[run].label;
  }

  currency(run = 0): string {
    const all = new Set(this.head.inputs.map((i) => i.currency));
    return all.size === 1 ? [...all][0] : (this.head.inputs[this.head.runs[run]?.input]?.currency ?? 'money');
  }

  unit(name: string): string {
    return spelled(measure(name, this.head.inputs).unit, this.currency());
  }
}

/// How a run looks in charts: by its place among those shown.
export function look(place: number): { colour: string; dash: number[]; shape: Shape } {
  return { colour: colour(place), dash: dash(place), shape: shape(place) };
}
