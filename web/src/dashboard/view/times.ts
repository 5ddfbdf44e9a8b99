import { useEffect, useState } from 'preact/hooks';
import { duration } from '../../parts/units';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number) => String(n).padStart(2, '0');

/// "14:05" today, "2 Mar 14:05" on other days; in UTC, as everything here.
export function clock(ms: number | null, now: number, seconds = false): string {
  if (ms === null || Number.isNaN(ms)) return '–';
  const d = new Date(ms);
  const today = Math.floor(ms / 86_400_000) === Math.floor(now / 86_400_000);
  const time = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}${seconds ? `:${two(d.getUTCSeconds())}` : ''}`;
  const year = d.getUTCFullYear() === new Date(now).getUTCFullYear() ? '' : ` ${d.getUTCFullYear()}`;
  return today ? time : `${d.getUTCDate()} ${months[d.getUTCMonth()]}${year} ${time}`;
}

/// How long from one instant to another; "–" where one is not known.
export function between(from: number | null, to: number | null): string {
  return from === null || to === null ? '–' : duration(Math.max(0, Math.round((to - from) / 1000)));
}

/// The time now, again every so many ms.
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
