import type { Run } from './head';

type Training = NonNullable<Run['training']>;

/// A training curve to be drawn: `y` of each line at every `x`, null where it has none.
export interface Curve {
  xName: string;
  yName: string;
  x: number[];
  lines: { label: string; y: (number | null)[] }[];
}

const telling = ['validation_return', 'mean_return', 'reward', 'return', 'loss'];

/// Columns of numbers, the first of which is the x axis; columns of words tell lines apart.
export function numberColumns(training: Training): string[] {
  return Object.keys(training.columns).filter((name) => !training.names?.[name]);
}

/// What can be drawn over the first column of numbers, what tells most first.
export function choices(training: Training): string[] {
  const all = numberColumns(training).slice(1);
  return [...telling.filter((name) => all.includes(name)), ...all.filter((name) => !telling.includes(name))];
}

/// The curve of column `yName`, one line for each word (each network); null if there is nothing to draw.
export function curve(training: Training, yName: string): Curve | null {
  const [xName] = numberColumns(training);
  const ys = training.columns[yName];
  if (xName === undefined || !ys) return null;
  const word = Object.keys(training.names ?? {})[0];
  const kinds = word ? training.names![word] : [''];
  const kindOf = (i: number) => (word ? (training.columns[word][i] ?? 0) : 0);
  const rows = new Map<number, (number | null)[]>();
  training.columns[xName].forEach((x, i) => {
    const at = x ?? i;
    if (!rows.has(at)) rows.set(at, kinds.map(() => null));
    rows.get(at)![kindOf(i)] = ys[i];
  });
  const x = [...rows.keys()].sort((a, b) => a - b);
  return { xName, yName, x, lines: kinds.map((label, k) => ({ label: label || yName, y: x.map((at) => rows.get(at)![k]) })) };
}
