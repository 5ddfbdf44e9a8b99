import { expect, test } from 'vitest';
import type { Savings } from '../../../src/dashboard/live/api-types';
import { energyText, massText } from '../../../src/dashboard/view/amounts';
import { courseKey, courseOf } from '../../../src/dashboard/view/ahead';
import { savingsRows, shareRange } from '../../../src/dashboard/view/savings-rows';
import { pathOf } from '../../../src/dashboard/view/spark';
import { between, clock } from '../../../src/dashboard/view/times';

const noon = Date.parse('2026-03-01T12:00:00Z');
const steps = [
  { from: '2026-03-01T12:07:00Z', price: 0.2, carbon_g_per_kwh: 300 },
  { from: '2026-03-01T14:00:00Z', price: 0.1, carbon_g_per_kwh: 300 },
  { from: '2026-03-01T15:00:00Z', price: 0.3, carbon_g_per_kwh: 310 },
];

test('what is foretold is a course to the end of two days, with its lowest and highest', () => {
  const course = courseOf(steps, 'price')!;
  expect(course.x).toEqual([0, 7200, 10_800, 172_800]);
  expect(course.y).toEqual([0.2, 0.1, 0.3, 0.3]);
  expect(course.low).toEqual({ when: Date.parse(steps[1].from), value: 0.1 });
  expect(course.high.value).toBe(0.3);
  expect(courseOf([], 'price')).toBeNull();
});

test('a chart of what is foretold stays the same until a quarter of an hour ends', () => {
  const later = (from: string) => courseKey(courseOf([{ ...steps[0], from }, ...steps.slice(1)], 'price'));
  expect(later('2026-03-01T12:14:59Z')).toBe(later('2026-03-01T12:00:00Z'));
  expect(later('2026-03-01T12:15:00Z')).not.toBe(later('2026-03-01T12:00:00Z'));
});

test('a spark ends at its right edge, has holes, and no more points than pixels', () => {
  const y = (v: number) => String(v);
  expect(pathOf([1, 2], 2, y)).toBe('M0.0 1L150.0 2L300.0 2');
  expect(pathOf([1, null, 3], 3, y)).toBe('M0.0 1M200.0 3L300.0 3');
  expect(pathOf([], 1440, y)).toBe('');
  const long = pathOf(Array.from({ length: 1440 }, (_, i) => i), 1440, y);
  expect(long.split(/[ML]/).length).toBeLessThan(310);
});

test('times are short today and have a day on others', () => {
  expect(clock(noon, noon + 1000)).toBe('12:00');
  expect(clock(noon, noon + 86_400_000, true)).toBe('1 Mar 12:00:00');
  expect(clock(noon, Date.parse('2027-01-01T00:00:00Z'))).toBe('1 Mar 2026 12:00');
  expect([clock(null, noon), clock(NaN, noon), between(null, noon), between(noon, noon + 65_000)]).toEqual(['–', '–', '–', '65 s']);
});

const savings = (saved: Savings['saved']): Savings => ({
  mode: 'live', policy: 'powerflow', former: 'fifo', currency: 'EUR', jobs: 40, from: null, until: null, happened: {}, method: '', notes: [],
  former_would: { energy_kwh: 4, cost: 2, wait_mean_s: 100 },
  policy_would: { energy_kwh: 2, cost: 2.1, wait_mean_s: 150 },
  model_error: { energy_kwh: 0.04, cost: null },
  saved,
});

test('savings say less, more, or that nobody can tell', () => {
  const rows = savingsRows(
    savings({
      energy_kwh: { value: 2, low: 1, high: 3, percent: 50 },
      cost: { value: -0.1, low: -0.4, high: 0.2, percent: -5 },
      wait_mean_s: { value: -50, low: -80, high: -20, percent: -50 },
      carbon_kg: null,
    }),
  );
  expect(rows.map((r) => `${r.name}: ${r.saved}, ${r.interval}, ${r.error}, ${r.verdict}`)).toEqual([
    'Energy: 2.00 kWh (−50.0 %), 1.00 kWh to 3.00 kWh, +4.0 %, less',
    'Cost: −0.100 EUR (+5.0 %), −0.400 EUR to 0.200 EUR, –, not distinguishable',
    'Mean wait: −50 s (+50.0 %), −80 s to −20 s, –, more',
  ]);
  const [low, high] = shareRange(rows);
  expect(low).toBeLessThan(-0.8);
  expect(high).toBeGreaterThan(0.75);
});

test('too few jobs are no rows', () => {
  expect(savingsRows(savings({ energy_kwh: null, cost: null }))).toEqual([]);
  expect(savingsRows(savings(null))).toEqual([]);
});

test('amounts begin small', () => {
  expect([1800, 3.6e6, 5e12].map(energyText)).toEqual(['0.5 Wh', '1.00 kWh', '1,389 MWh']);
  expect([0.04, 250, 78_300].map(massText)).toEqual(['0.0 g', '250 g', '78.3 kg']);
});
