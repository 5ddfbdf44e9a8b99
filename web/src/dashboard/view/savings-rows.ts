import { duration, fixed, short, signed, withUnit } from '../../parts/units';
import type { Savings } from '../live/api-types';

const names: Record<string, string> = {
  energy_kwh: 'Energy',
  cost: 'Cost',
  carbon_kg: 'Carbon',
  jct_mean_s: 'Mean time to completion',
  wait_mean_s: 'Mean wait',
  tardiness_mean_s: 'Mean tardiness',
};

/// One measure of the savings as it is shown. Shares are parts of what the former policy would have taken.
export interface SavingsRow {
  name: string;
  former: string;
  policy: string;
  saved: string;
  interval: string;
  error: string;
  /// "less", "more", or that nobody can tell.
  verdict: 'less' | 'more' | 'not distinguishable';
  share: { value: number; low: number; high: number } | null;
}

export function savingsRows(savings: Savings): SavingsRow[] {
  if (!savings.saved) return [];
  const rows: SavingsRow[] = [];
  for (const [measure, saved] of Object.entries(savings.saved)) {
    if (!saved) continue;
    const say = (value: number | null | undefined) => valueText(measure, value, savings.currency);
    const base = savings.former_would[measure];
    const error = savings.model_error[measure];
    rows.push({
      name: names[measure] ?? measure,
      former: say(base),
      policy: say(savings.policy_would[measure]),
      saved: `${say(saved.value)}${saved.percent === null ? '' : ` (${signed(-saved.percent, 1)} %)`}`,
      interval: `${say(saved.low)} to ${say(saved.high)}`,
      error: error == null ? '–' : `${signed(error * 100, 1)} %`,
      verdict: saved.low > 0 ? 'less' : saved.high < 0 ? 'more' : 'not distinguishable',
      share: base && base > 0 ? { value: saved.value / base, low: saved.low / base, high: saved.high / base } : null,
    });
  }
  return rows;
}

function valueText(measure: string, value: number | null | undefined, currency: string | null): string {
  if (value == null) return '–';
  if (measure === 'energy_kwh') return withUnit(value, 'kWh');
  if (measure === 'carbon_kg') return withUnit(value, 'kg');
  if (measure === 'cost') return `${Math.abs(value) < 100 ? short(value) : fixed(value, 0)}${currency ? ` ${currency}` : ''}`;
  return measure.endsWith('_s') ? duration(Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value)) : short(value);
}

/// The percent axis that holds all intervals and 0, in parts; never wider than ±100 %.
export function shareRange(rows: readonly SavingsRow[]): [number, number] {
  let low = 0;
  let high = 0.05;
  for (const { share } of rows)
    if (share) {
      low = Math.min(low, share.low, share.value);
      high = Math.max(high, share.high, share.value);
    }
  const room = (high - low) * 0.06;
  return [Math.max(-1, low < 0 ? low - room : 0), Math.min(1, high + room)];
}
