// Numbers as people read them. What is undefined reads "–", never 0 and never NaN.

export const nothing = '–';

/// A unit to show values in: value ÷ factor.
export interface Scale {
  unit: string;
  factor: number;
}

interface Step extends Scale {
  from: number;
}

// The steps of the table that `penstock simulate` prints.
const steps: Record<string, Step[]> = {
  s: [{ unit: 's', factor: 1, from: 0 }, { unit: 'min', factor: 60, from: 300 }, { unit: 'h', factor: 3600, from: 18000 }, { unit: 'd', factor: 86400, from: 864000 }],
  kWh: [{ unit: 'kWh', factor: 1, from: 0 }, { unit: 'MWh', factor: 1e3, from: 1e5 }, { unit: 'GWh', factor: 1e6, from: 1e8 }],
  kg: [{ unit: 'kg', factor: 1, from: 0 }, { unit: 't', factor: 1e3, from: 1e5 }, { unit: 'kt', factor: 1e6, from: 1e8 }],
  W: [{ unit: 'W', factor: 1, from: 0 }, { unit: 'kW', factor: 1e3, from: 1e3 }, { unit: 'MW', factor: 1e6, from: 1e6 }],
  us: [{ unit: 'µs', factor: 1, from: 0 }, { unit: 'ms', factor: 1e3, from: 1e4 }],
  GB: [{ unit: 'GB', factor: 1, from: 0 }, { unit: 'TB', factor: 1e3, from: 1e4 }, { unit: 'PB', factor: 1e6, from: 1e7 }],
  share: [{ unit: '%', factor: 0.01, from: 0 }],
  ratio: [{ unit: '', factor: 1, from: 0 }],
};
const counts = new Set(['jobs', 'times', 'events', 'nodes', 'GPUs']);

export const isCount = (unit: string): boolean => counts.has(unit);

/// The unit in which values up to `largest` read best. Unknown units stay what they are.
export function scaleFor(unit: string, largest: number): Scale {
  const all = steps[unit];
  if (!all) return { unit, factor: 1 };
  let found = all[0];
  for (const step of all) if (Math.abs(largest) >= step.from) found = step;
  return { unit: found.unit, factor: found.factor };
}

/// How many decimals give every value of a column three digits that count, but never more than two
/// where the largest is 1 or more.
export function decimalsFor(values: Iterable<number>): number {
  let least = Infinity;
  let most = 0;
  for (const value of values) {
    const size = Math.abs(value);
    if (!(size > 0) || size === Infinity) continue;
    least = Math.min(least, size);
    most = Math.max(most, size);
  }
  if (most === 0) return 0;
  const wanted = 2 - Math.floor(Math.log10(least));
  const cap = most >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(most)));
  return Math.min(cap, Math.max(0, wanted));
}

const formats = new Map<number, Intl.NumberFormat>();

/// 1234.5 → "1,234.50"; a real minus sign; "–" for what is undefined.
export function fixed(value: number | null | undefined, decimals: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return nothing;
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  let format = formats.get(decimals);
  if (!format) formats.set(decimals, (format = new Intl.NumberFormat('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })));
  const text = format.format(value);
  return (/[1-9]/.test(text) ? text : text.replace('-', '')).replace('-', '−');
}

/// Three digits that count: 0.0123, 1.23, 12.3, 1,234.
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return nothing;
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-4) return value.toExponential(1).replace(/-/g, '−');
  return fixed(value, size === 0 ? 0 : Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(size)))));
}

/// "1 GPU", "3 GPUs".
export function many(count: number, one: string): string {
  return `${Number.isInteger(count) ? fixed(count, 0) : short(count)} ${one}${count === 1 ? '' : 's'}`;
}

/// As few digits as tell the value: 20, 0.5, 1,200. For the numbers of an axis.
export function plain(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential().replace(/-/g, '−').replace('e+', 'e');
  const exact = Number(value.toPrecision(6));
  return fixed(exact, (String(exact).split('.')[1] ?? '').length);
}

/// "12.3 kWh", "4.2 MW", "37 %": a value with the unit that suits it.
export function withUnit(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || Number.isNaN(value)) return nothing;
  if (isCount(unit)) return `${fixed(value, Number.isInteger(value) ? 0 : 1)} ${unit}`;
  const scale = scaleFor(unit, value);
  const text = short(value / scale.factor);
  return scale.unit ? `${text} ${scale.unit}` : text;
}

/// "+5.0 %", "−13.7 %" of `base`; null where that says nothing.
export function changeOf(value: number, base: number): number | null {
  if (!Number.isFinite(value) || !Number.isFinite(base) || base <= 0) return null;
  return value / base - 1;
}

export function signed(value: number, decimals: number): string {
  const text = fixed(value, decimals);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/// "45 s", "12 min", "2 h 05 min", "3 d 4 h".
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return nothing;
  if (seconds < 0) return `−${duration(-seconds)}`;
  if (seconds < 1 && seconds > 0) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 99.5) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
  const hours = Math.round(seconds / 3600);
  return `${fixed(Math.floor(hours / 24), 0)} d ${hours % 24} h`;
}
