import type { Link } from './follower';

/// Older than this, what is shown is called old: the page asks every five seconds.
const fresh = 12_000;

export interface Freshness {
  word: 'live' | 'connecting' | 'reconnecting' | 'slow';
  /// The same for people, who would take "live" for the daemon's mode; changes only with the word.
  text: string;
  /// How old what is seen is; empty if it is not old.
  age: string;
}

/// What the page says of itself: whether it follows the daemon, and how old what it shows is.
export function freshness(link: Link, heardAt: number | null, now: number): Freshness {
  const age = heardAt === null ? null : Math.max(0, now - heardAt);
  const old = age === null || age > fresh;
  if (link === 'live' && !old) return { word: 'live', text: 'connected', age: '' };
  if (link !== 'lost' && age === null) return { word: 'connecting', text: 'connecting …', age: '' };
  const seen = age === null ? 'nothing was heard yet' : `what you see is ${span(age)} old`;
  if (link === 'live') return { word: 'slow', text: 'the daemon answers slowly', age: seen };
  return { word: 'reconnecting', text: 'reconnecting …', age: seen };
}

/// "37 s", "5 min", "3 h".
export function span(ms: number): string {
  const s = Math.round(ms / 1000);
  if (s < 120) return `${s} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  return s < 172_800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86_400)} d`;
}
