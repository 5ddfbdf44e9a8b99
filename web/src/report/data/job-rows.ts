import type { Report } from './report';

export type State = 'finished' | 'killed' | 'late' | 'unfinished';

export interface Filter {
  words: string;
  state: State | 'all';
  site: number;
}

/// The state of each job of a run: bit 1 finished, 2 killed, 4 late.
export function states(report: Report, run: number): Uint8Array {
  const jct = report.jct(run);
  const killed = report.job(run, 'killed');
  const late = report.job(run, 'tardiness');
  return Uint8Array.from(jct, (t, i) => (Number.isNaN(t) ? 0 : 1 | (killed[i] > 0 ? 2 : 0) | (late[i] > 0 ? 4 : 0)));
}

/// The rows of the jobs that a filter lets through, in order of submission. Every word must be in a job's name, user or kind.
export function filtered(report: Report, run: number, { words, state, site }: Filter): Uint32Array {
  const people = report.population(report.head.runs[run].population);
  const rows = people?.rows ?? 0;
  const kept = new Uint8Array(rows).fill(1);
  for (const word of words.toLowerCase().split(/\s+/).filter(Boolean)) {
    const has = report.head.texts.map((t) => t.toLowerCase().includes(word));
    for (let i = 0; i < rows; ++i) if (kept[i] && !(has[people!.name[i]] || (people!.user && has[people!.user[i]]) || (people!.kind && has[people!.kind[i]]))) kept[i] = 0;
  }
  if (state !== 'all') {
    const all = states(report, run);
    const fits = { finished: (s: number) => (s & 1) === 1, killed: (s: number) => (s & 2) === 2, late: (s: number) => (s & 4) === 4, unfinished: (s: number) => s === 0 }[state];
    for (let i = 0; i < rows; ++i) if (!fits(all[i])) kept[i] = 0;
  }
  if (site >= 0) {
    const where = report.job(run, 'site');
    for (let i = 0; i < rows; ++i) if (where[i] !== site) kept[i] = 0;
  }
  const out = new Uint32Array(rows);
  let n = 0;
  for (let i = 0; i < rows; ++i) if (kept[i]) out[n++] = i;
  return out.subarray(0, n);
}

/// `rows` by rising or falling `keys`; undefined ones last, ties in order of submission.
export function sortRows(rows: Uint32Array, keys: Float64Array, down: boolean): Uint32Array {
  const sign = down ? -1 : 1;
  return rows.slice().sort((a, b) => {
    const x = keys[a];
    const y = keys[b];
    if (x === y) return a - b;
    if (Number.isNaN(x)) return Number.isNaN(y) ? a - b : 1;
    if (Number.isNaN(y)) return -1;
    return sign * (x - y);
  });
}

/// For each text its place in the alphabet, so that rows are sorted by numbers.
export function ranks(texts: readonly string[], used: ArrayLike<number>): Float64Array {
  const order = [...new Set(Array.from(used))].sort((a, b) => (texts[a] < texts[b] ? -1 : 1));
  const out = new Float64Array(texts.length).fill(NaN);
  order.forEach((t, i) => (out[t] = i));
  return Float64Array.from(used, (t) => out[t]);
}
