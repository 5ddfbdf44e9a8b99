import type { AheadStep } from '../live/api-types';

const quarter = 900_000;
export const hoursAhead = 48;

/// A price or carbon as it is foretold, for a chart: seconds since `origin` and values, each until the next.
export interface Course {
  origin: number;
  x: number[];
  y: number[];
  low: { when: number; value: number };
  high: { when: number; value: number };
}

/// The course of one of the series; null if nothing is foretold. It begins at the quarter of the hour, so that it stays
/// the same until that ends.
export function courseOf(steps: readonly AheadStep[], key: 'price' | 'carbon_g_per_kwh'): Course | null {
  if (steps.length === 0) return null;
  const origin = Math.floor(Date.parse(steps[0].from) / quarter) * quarter;
  const x: number[] = [];
  const y: number[] = [];
  let low = 0;
  let high = 0;
  steps.forEach((step, i) => {
    x.push(i === 0 ? 0 : (Date.parse(step.from) - origin) / 1000);
    y.push(step[key]);
    if (y[i] < y[low]) low = i;
    if (y[i] > y[high]) high = i;
  });
  const at = (i: number) => ({ when: origin + x[i] * 1000, value: y[i] });
  const ends = { low: at(low), high: at(high) };
  x.push(hoursAhead * 3600);
  y.push(y[y.length - 1]);
  return { origin, x, y, ...ends };
}

/// Changes when a chart of it would.
export const courseKey = (course: Course | null): string => (course ? `${course.origin} ${course.x.join()} ${course.y.join()}` : '');
