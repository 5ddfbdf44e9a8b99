import type { Report, Timeline } from './report';

/// The value that held at each of `times`, from samples at rising `at`; NaN before the first.
export function held(times: Float64Array, at: Float64Array, values: Float64Array): Float64Array {
  if (times === at) return values;
  const out = new Float64Array(times.length).fill(NaN);
  for (let i = 0, j = -1; i < times.length; ++i) {
    while (j + 1 < at.length && at[j + 1] <= times[i]) ++j;
    if (j >= 0) out[i] = values[j];
  }
  return out;
}

/// Every time of both, rising, each once.
export function union(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length + b.length);
  let n = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const next = j >= b.length || (i < a.length && a[i] <= b[j]) ? a[i] : b[j];
    while (i < a.length && a[i] === next) ++i;
    while (j < b.length && b[j] === next) ++j;
    out[n++] = next;
  }
  return out.subarray(0, n);
}

/// A quantity over time, of one site or of all.
export interface Series {
  time: Float64Array;
  values: Float64Array;
}

const none: Series = { time: new Float64Array(0), values: new Float64Array(0) };
/// How a quantity of all sites comes from that of each: a queue is of the whole system, so each site tells the same.
const together: Record<string, 'sum' | 'same' | 'mean'> = { busy: 'sum', idle: 'sum', running: 'sum', sleeping: 'sum', power: 'sum', cap: 'sum', queued: 'same', price: 'mean', carbon: 'mean' };

/// A quantity of a run; `site` null means all sites together. Where a site has no value the sum has none.
export function quantity(report: Report, run: number, name: string, site: number | null): Series {
  const all = report.timelines(run).filter((t) => site === null || t.site === site);
  if (all.length === 0) return none;
  const time = all.reduce((longest: Timeline, t) => (t.time.length > longest.time.length ? t : longest), all[0]).time;
  const first = held(time, all[0].time, all[0].column(name));
  if (all.length === 1 || together[name] === 'same') return { time, values: first };
  const values = Float64Array.from(first);
  for (const t of all.slice(1)) {
    const more = held(time, t.time, t.column(name));
    for (let i = 0; i < values.length; ++i) values[i] += more[i];
  }
  if (together[name] === 'mean') for (let i = 0; i < values.length; ++i) values[i] /= all.length;
  return { time, values };
}

/// The mean of a quantity by hour of day (UTC), 24 values; NaN for hours without a sample.
export function byHour({ time, values }: Series, origin: number | null): Float64Array {
  const sums = new Float64Array(24);
  const counts = new Float64Array(24);
  const shift = (origin ?? 0) / 1000;
  for (let i = 0; i < time.length; ++i) {
    if (Number.isNaN(values[i])) continue;
    const hour = Math.floor((((time[i] + shift) % 86400) + 86400) / 3600) % 24;
    sums[hour] += values[i];
    counts[hour] += 1;
  }
  return sums.map((s, h) => s / counts[h]);
}
