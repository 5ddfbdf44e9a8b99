import { Store } from './store';

export interface Span {
  from: number;
  to: number;
}

/// The time axis that several charts share: which part of it is seen and where the pointer is, in seconds since the origin.
export class TimeLink {
  readonly seen: Store<Span>;
  readonly pointer = new Store<number | null>(null);
  constructor(
    public whole: Span,
    public origin: number | null,
  ) {
    this.seen = new Store(whole);
  }

  /// Another whole; what is seen stays where it can.
  extend(whole: Span, origin: number | null): void {
    const all = this.isWhole();
    this.whole = whole;
    this.origin = origin;
    if (all) this.seen.set(whole);
    else this.show(this.seen.get());
  }

  isWhole(): boolean {
    const { from, to } = this.seen.get();
    return from <= this.whole.from && to >= this.whole.to;
  }

  /// Shows [from, to], kept within the whole and no shorter than a thousandth of a second.
  show({ from, to }: Span): void {
    const all = this.whole.to - this.whole.from;
    const length = Math.min(all, Math.max(to - from, Math.min(all, 0.001)));
    const start = Math.min(Math.max(from + (to - from - length) / 2, this.whole.from), this.whole.to - length);
    const now = this.seen.get();
    if (now.from !== start || now.to !== start + length) this.seen.set({ from: start, to: start + length });
  }

  /// Makes what is seen `factor` times as long; `around` stays where it is.
  zoom(factor: number, around = (this.seen.get().from + this.seen.get().to) / 2): void {
    const { from, to } = this.seen.get();
    this.show({ from: around - (around - from) * factor, to: around + (to - around) * factor });
  }

  /// Moves by a share of what is seen.
  pan(share: number): void {
    const { from, to } = this.seen.get();
    const by = (to - from) * share;
    const kept = Math.min(Math.max(by, this.whole.from - from), this.whole.to - to);
    this.show({ from: from + kept, to: to + kept });
  }

  reset(): void {
    this.seen.set(this.whole);
  }

  /// What arrow keys, +, − and Home do to a time axis; says whether the key meant something.
  key(key: string): boolean {
    if (key === 'ArrowLeft') this.pan(-0.15);
    else if (key === 'ArrowRight') this.pan(0.15);
    else if (key === '+' || key === '=') this.zoom(1 / 1.5);
    else if (key === '-' || key === '_') this.zoom(1.5);
    else if (key === 'Home' || key === '0') this.reset();
    else return false;
    return true;
  }
}
