// Where the lines of an axis stand and what they say.

export interface Ticks {
  at: number[];
  text: string[];
}

/// Round numbers over [from, to], about `count` of them.
export function linearTicks(from: number, to: number, count: number): number[] {
  if (!(to > from) || count < 1) return Number.isFinite(from) ? [from] : [];
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const out: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; ++i) out.push(Number((i * step).toPrecision(12)));
  return out;
}

/// Powers of ten over [from, to], with 2 and 5 between where there are few.
export function logTicks(from: number, to: number, count: number): number[] {
  if (!(from > 0) || !(to > from)) return [];
  const decades = Math.log10(to / from);
  const within = decades * 3 <= count ? [1, 2, 5] : [1];
  const skip = Math.max(1, Math.ceil(decades / count));
  const out: number[] = [];
  for (let p = Math.floor(Math.log10(from)); p <= Math.ceil(Math.log10(to)); ++p) {
    if (((p % skip) + skip) % skip) continue;
    for (const m of within) {
      const value = Number(`${m}e${p}`);
      if (value >= from * 0.999999 && value <= to * 1.000001) out.push(value);
    }
  }
  return out;
}

const spoken = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];

/// Lines for a logarithmic axis of durations: 1 s, 1 min, 1 h, 1 d …
export function durationTicks(from: number, to: number, count: number): Ticks {
  let at = spoken.filter((s) => s >= from * 0.999 && s <= to * 1.001);
  while (at.length > Math.max(2, count)) at = at.filter((_, i) => i % 2 === 0);
  return { at, text: at.map(spokenText) };
}

function spokenText(s: number): string {
  if (s < 1) return `${s * 1000} ms`;
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${s / 60} min`;
  if (s < 86400) return `${s / 3600} h`;
  return s >= 365 * 86400 ? `${s / (365 * 86400)} y` : `${s / 86400} d`;
}

const hour = 3600;
const day = 86400;
const timeSteps = [
  0.001, 0.01, 0.1, 1, 5, 15, 30, 60, 300, 600, 1800, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 3 * day, 4 * day,
];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number) => String(n).padStart(2, '0');

/// Lines for a time axis over [from, to] seconds since `origin` (ms since 1970, UTC), or since nothing in particular.
export function timeTicks(from: number, to: number, count: number, origin: number | null): Ticks {
  const span = to - from;
  if (!(span > 0)) return { at: [], text: [] };
  const rough = span / Math.max(1, count);
  const step = timeSteps.find((s) => s >= rough);
  if (origin === null) return sinceStart(from, to, step ?? Math.ceil(rough / (7 * day)) * 7 * day);
  if (step === undefined) return monthly(from, to, rough, origin);
  const at: number[] = [];
  const shift = origin / 1000;
  for (let i = Math.ceil((from + shift) / step - 1e-9); i * step - shift <= to; ++i) at.push(i * step - shift);
  return { at, text: at.map((t) => calendarText(new Date(Math.round((t + shift) * 1000)), step)) };
}

function sinceStart(from: number, to: number, step: number): Ticks {
  const at: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to; ++i) at.push(i * step);
  return { at, text: at.map((t) => (step >= day ? `${t / day} d` : step >= hour ? `${t / hour} h` : step >= 60 ? `${t / 60} min` : `${Number(t.toFixed(3))} s`)) };
}

function calendarText(d: Date, step: number): string {
  const midnight = d.getUTCHours() === 0 && d.getUTCMinutes() === 0 && d.getUTCSeconds() === 0 && d.getUTCMilliseconds() === 0;
  if (step >= day || midnight) return `${d.getUTCDate()} ${months[d.getUTCMonth()]}`;
  const clock = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
  if (step >= 60) return clock;
  const seconds = `${clock}:${two(d.getUTCSeconds())}`;
  return step >= 1 ? seconds : `${seconds}.${String(d.getUTCMilliseconds()).padStart(3, '0')}`;
}

/// Days of the month (1, 8, 15, 22), firsts of months, quarters or years.
function monthly(from: number, to: number, rough: number, origin: number): Ticks {
  const at: number[] = [];
  const text: string[] = [];
  const days = rough <= 8 * day ? [1, 8, 15, 22] : rough <= 16 * day ? [1, 15] : [1];
  const every = rough <= 31 * day ? 1 : rough <= 92 * day ? 3 : rough <= 366 * day ? 12 : 12 * Math.ceil(rough / (366 * day));
  const first = new Date(origin + from * 1000);
  for (let m = first.getUTCFullYear() * 12; ; m += 1) {
    const start = (Date.UTC(Math.floor(m / 12), m % 12, 1) - origin) / 1000;
    if (start > to) break;
    if (m % every) continue;
    for (const d of days) {
      const t = start + (d - 1) * day;
      if (t < from || t > to) continue;
      const month = m % 12;
      at.push(t);
      text.push(d > 1 ? `${d} ${months[month]}` : month === 0 || every >= 12 ? `Jan ${Math.floor(m / 12)}` : days.length > 1 ? `1 ${months[month]}` : months[month]);
    }
  }
  return { at, text };
}

/// "Tue 1 Mar 2022 06:10 UTC", or the time since the start where there is no calendar.
export function moment(t: number, origin: number | null): string {
  if (origin === null) {
    const s = Math.round(t);
    return `${Math.floor(s / day)} d ${two(Math.floor((s % day) / hour))}:${two(Math.floor((s % hour) / 60))}:${two(s % 60)}`;
  }
  const d = new Date(origin + t * 1000);
  if (Number.isNaN(d.getTime())) return '–';
  const week = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][d.getUTCDay()];
  const seconds = d.getUTCSeconds() ? `:${two(d.getUTCSeconds())}` : '';
  return `${week} ${d.getUTCDate()} ${months[d.getUTCMonth()]} ${d.getUTCFullYear()} ${two(d.getUTCHours())}:${two(d.getUTCMinutes())}${seconds} UTC`;
}
