import { colour, css, ramp, rgb } from '../../parts/palette';
import type { Entry } from '../../parts/figure';
import { shown } from '../../parts/theme';
import { isDefined } from './columns';

export type By = 'job' | 'clock' | 'gpus';

/// A paint for every stretch and what each looks like; the last one is "not known".
export interface Painting {
  paints: Uint8Array;
  colours: string[];
  legend: Entry[];
}

const hues = 8;
const steps = 12;
const bins = [1, 2, 4, 8, 16, 32, 64, 128];

/// Colours stretches by job, by clock, or by the number of GPUs that their job holds.
export function painting(by: By, job: ArrayLike<number>, clock: ArrayLike<number> | null, held: ArrayLike<number>): Painting {
  return by === 'clock' ? byClock(clock, job.length) : by === 'gpus' ? byGpus(held) : byJob(job);
}

/// Neighbours in time differ: jobs that follow each other get colours far apart.
function byJob(job: ArrayLike<number>): Painting {
  const paints = new Uint8Array(job.length);
  for (let i = 0; i < paints.length; ++i) paints[i] = (Math.imul(job[i], 2654435761) >>> 8) % (hues * 3);
  const [towards, softer] = shown.get() === 'dark' ? [48, [0.2, 0.38, 0.54]] : ([205, [0, 0.28, 0.5]] as const);
  const colours = Array.from({ length: hues * 3 }, (_, i) => {
    const [r, g, b] = rgb(colour(i % hues));
    const part = softer[Math.floor(i / hues)];
    return css([r, g, b].map((c) => Math.round(c + (towards - c) * part)));
  });
  return { paints, colours, legend: [] };
}

function byClock(clock: ArrayLike<number> | null, rows: number): Painting {
  let least = Infinity;
  let most = 0;
  const known = (i: number) => clock !== null && isDefined(clock[i]);
  for (let i = 0; i < rows; ++i)
    if (known(i)) {
      least = Math.min(least, clock![i]);
      most = Math.max(most, clock![i]);
    }
  const span = most - least || 1;
  const paints = new Uint8Array(rows);
  let unknown = false;
  for (let i = 0; i < rows; ++i) {
    if (!known(i)) unknown = true;
    paints[i] = known(i) ? Math.min(steps - 1, Math.floor(((clock![i] - least) / span) * steps)) : steps;
  }
  const colours = [...Array.from({ length: steps }, (_, i) => css(ramp(i / (steps - 1)))), colour(6)];
  const legend: Entry[] = most > 0 ? [0, 1, 2, 3, 4].map((q) => ({ label: `${Math.round(least + (span * q) / 4)} MHz`, colour: css(ramp(q / 4)), shape: 'block' })) : [];
  if (unknown) legend.push({ label: 'not known', colour: colours[steps], shape: 'block' });
  return { paints, colours, legend };
}

function byGpus(held: ArrayLike<number>): Painting {
  const paints = new Uint8Array(held.length);
  const present = new Set<number>();
  for (let i = 0; i < paints.length; ++i) {
    let b = bins.length - 1;
    while (b > 0 && held[i] < bins[b]) --b;
    paints[i] = b;
    present.add(b);
  }
  const colours = bins.map((_, i) => css(ramp(i / (bins.length - 1))));
  const name = (i: number) => (i === bins.length - 1 ? `${bins[i]} or more` : bins[i + 1] - bins[i] > 1 ? `${bins[i]}–${bins[i + 1] - 1}` : `${bins[i]}`);
  return { paints, colours, legend: [...present].sort((a, b) => a - b).map((i) => ({ label: `${name(i)} GPU${i ? 's' : ''}`, colour: colours[i], shape: 'block' })) };
}
