import { useMemo, useState } from 'preact/hooks';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { type Line, SeriesChart } from '../../parts/series';
import { useStore } from '../../parts/store';
import { shown } from '../../parts/theme';
import { durationTicks, logTicks, type Ticks } from '../../parts/ticks';
import { duration, fixed, plain, short } from '../../parts/units';
import { cdf, logGrid, positiveRange } from '../data/cdf';
import type { Report } from '../data/report';
import { look, type Shared } from '../shared';

const points = 480;

/// What share of jobs was done within a time, and within a slowdown.
export function Cdfs({ shared, report }: { shared: Shared; report: Report }) {
  useStore(shared.fold);
  const runs = shared.charted().filter((r) => report.head.runs[r].jobs);
  if (runs.length === 0) return <p class="empty">The report holds no jobs of these runs, so there is nothing to count.</p>;
  const without = shared.charted().length - runs.length;
  return (
    <>
      {without > 0 && <p class="muted">Of {without} of the {without + runs.length} runs shown, the report holds sums only, not jobs.</p>}
      <div class="figures">
        <Cdf title="Job completion time" unit="% of finished jobs" shared={shared} runs={runs} of={(r) => report.jct(r)} ticks={durationTicks} say={duration} />
        <Cdf
          title="Bounded slowdown"
          unit="% of finished jobs"
          shared={shared}
          runs={runs}
          of={(r) => report.slowdown(r)}
          ticks={(a, b, n) => {
            const at = logTicks(a, b, n);
            return { at, text: at.map(plain) };
          }}
          say={(x) => `${short(x)} ×`}
        />
      </div>
    </>
  );
}

interface Props {
  title: string;
  unit: string;
  shared: Shared;
  runs: number[];
  of: (run: number) => Float64Array;
  ticks: (from: number, to: number, count: number) => Ticks;
  say: (x: number) => string;
}

function Cdf({ title, unit, shared, runs, of, ticks, say }: Props) {
  const theme = useStore(shown);
  const [off, setOff] = useState<ReadonlySet<number>>(new Set());
  const curves = useMemo(() => {
    const range = positiveRange(runs.map(of));
    if (!range) return null;
    const grid = logGrid(range[0], Math.max(range[1], range[0] * 1.01), points);
    return { grid, x: Array.from(grid, Math.log10), shares: runs.map((r) => cdf(of(r), grid)) };
  }, [runs.join()]);
  const lines = useMemo<Line[]>(
    () => runs.map((r, i) => ({ label: shared.label(r), y: curves?.shares[i] ?? [], off: off.has(r), ...look(i), shape: 'line' })),
    [runs.join(), off, theme, curves],
  );
  if (!curves) return <Figure title={title} noPng><p class="empty">No job has finished in any of these runs.</p></Figure>;
  const { grid, x, shares } = curves;
  const xTicks = (from: number, to: number, count: number) => {
    const t = ticks(10 ** from, 10 ** to, count);
    return { at: t.at.map(Math.log10), text: t.text };
  };
  return (
    <Figure
      title={title}
      unit={unit}
      legend={lines}
      onToggle={(i) => setOff(toggled(off, runs[i]))}
      csv={() => csv([title, ...runs.map((r) => shared.label(r))], Array.from(grid, (g, i) => [g, ...shares.map((s) => s?.[i])]))}
    >
      <SeriesChart
        label={`${title}: share of finished jobs, one line per run`}
        height={300}
        x={x}
        lines={lines}
        xTicks={xTicks}
        factor={0.01}
        yRange={[0, 1.001]}
        sayX={(v) => `at most ${say(10 ** v)}`}
        sayY={(v) => `${fixed(v * 100, 1)} %`}
      />
    </Figure>
  );
}

function toggled(set: ReadonlySet<number>, item: number): ReadonlySet<number> {
  const out = new Set(set);
  if (!out.delete(item)) out.add(item);
  return out;
}
