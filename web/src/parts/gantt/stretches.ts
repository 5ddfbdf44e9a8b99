/// Stretches in which jobs held GPUs: row i is job[i] on count[i] GPUs from gpu[i] on, during [from[i], from[i] + length[i]),
/// in whole time units, in order of `from`.
export interface Stretches {
  rows: number;
  job: ArrayLike<number>;
  from: Int32Array;
  length: ArrayLike<number>;
  gpu: ArrayLike<number>;
  count: ArrayLike<number>;
}

const block = 512;

/// Finds stretches by time without looking at all of them: it knows of each block of rows when its last one ends.
export class StretchIndex {
  private readonly ends: Float64Array;
  constructor(readonly all: Stretches) {
    this.ends = new Float64Array(Math.ceil(all.rows / block)).fill(-Infinity);
    for (let i = 0; i < all.rows; ++i) {
      const b = (i / block) | 0;
      this.ends[b] = Math.max(this.ends[b], all.from[i] + all.length[i]);
    }
  }

  /// Calls `see(begin, end)` for ranges of rows; every stretch that touches [from, to) is in one of them, in order.
  ranges(from: number, to: number, see: (begin: number, end: number) => void): void {
    const last = this.firstFrom(to);
    for (let b = 0; b * block < last; ++b) if (this.ends[b] > from) see(b * block, Math.min(last, (b + 1) * block));
  }

  /// The row of the stretch on `gpu` that holds `time`, or else one that touches [time − near, time + near]; −1 if there is none.
  at(gpu: number, time: number, near = 0): number {
    const { from, length, gpu: first, count } = this.all;
    let found = -1;
    let close = -1;
    this.ranges(time - near, time + near + 1e-9, (begin, end) => {
      for (let i = begin; i < end; ++i) {
        if (gpu < first[i] || gpu >= first[i] + count[i]) continue;
        const to = from[i] + length[i];
        if (from[i] <= time && time < to) found = i;
        else if (from[i] <= time + near && to >= time - near) close = i;
      }
    });
    return found >= 0 ? found : close;
  }

  private firstFrom(time: number): number {
    let low = 0;
    let high = this.all.rows;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.all.from[mid] < time) low = mid + 1;
      else high = mid;
    }
    return low;
  }
}
