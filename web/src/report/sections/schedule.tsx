import { useMemo, useState } from 'preact/hooks';
import { Choose } from '../../parts/controls';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { Gantt } from '../../parts/gantt/gantt';
import { GpuRows } from '../../parts/gantt/rows';
import { StretchIndex } from '../../parts/gantt/stretches';
import { useStore } from '../../parts/store';
import { shown } from '../../parts/theme';
import { moment } from '../../parts/ticks';
import { TipLines } from '../../parts/tip';
import { duration, fixed, many } from '../../parts/units';
import { isDefined } from '../data/columns';
import { type By, painting } from '../data/paint';
import type { Report } from '../data/report';
import type { Shared } from '../shared';
import type { TimeState } from '../time-state';

export const endings = ['finished', 'killed', 'preempted', 'resized', 'migrated', 'clock changed', 'batch changed', 'interrupted'];

interface Props {
  shared: Shared;
  report: Report;
  state: TimeState;
}

/// Who held which GPU when.
export function Schedule({ shared, report, state }: Props) {
  const theme = useStore(shown);
  const { run, site } = useStore(state.chosen);
  const [by, setBy] = useState<By>('job');
  const info = report.head.runs[run];
  const index = useMemo(() => indexOf(report, run), [report, run]);
  const rows = useMemo(() => rowsOf(report, run), [report, run]);
  const paint = useMemo(() => {
    if (!index) return null;
    return painting(by, index.all.job, report.stretch(run, 'clock'), by === 'gpus' ? gpusHeld(index) : index.all.count);
  }, [index, by, theme]);
  const within = useMemo(() => {
    const here = site < 0 ? null : info?.sites[site];
    return here && here.first_gpu !== undefined ? { first: here.first_gpu, last: here.first_gpu + (here.gpus ?? 0) } : { first: 0, last: Math.max(1, rows.total) };
  }, [rows, site]);
  if (!info?.stretches) return <p class="empty">The run keeps no stretches.csv, so it is not known which GPUs its jobs held.</p>;
  if (!index || !paint) return <p class="empty">No job held a GPU in this run.</p>;
  const unit = info.time_unit_s;
  const tip = (i: number) => <StretchTip report={report} run={run} i={i} state={state} rows={rows} />;
  const left = info.stretches.left_out ?? 0;
  return (
    <>
      <div class="controls">
        <Choose label="Coloured by" value={by} options={[{ value: 'job', text: 'job' }, { value: 'clock', text: 'clock of the GPUs' }, { value: 'gpus', text: 'number of GPUs' }]} onChange={(v) => setBy(v as By)} />
      </div>
      <Figure
        title={`GPUs and jobs: ${shared.label(run)}`}
        unit="rows are GPUs, grouped by node"
        legend={paint.legend}
        csv={() => stretchesCsv(report, run, index, state)}
        caption={
          <>
            Click it, then the wheel zooms in time, with Shift in GPUs; dragging moves; a click on a stretch opens its job. Where a pixel stands for many, its strength is the share that is held
            {by === 'job' ? '; colours only tell neighbours apart' : ''}. The CSV holds what is seen.
            {left > 0 && ` ${fixed(left, 0)} stretches were left out of this report.`}
          </>
        }
      >
        <Gantt
          label={`GPUs held by jobs under ${shared.label(run)}`}
          index={index}
          rows={rows}
          link={state.link}
          unit={unit}
          shift={state.shift(run)}
          paints={paint.paints}
          colours={paint.colours}
          within={within}
          tip={tip}
          onOpen={(i) => shared.open.set({ run, row: index.all.job[i] })}
        />
      </Figure>
    </>
  );
}

function indexOf(report: Report, run: number): StretchIndex | null {
  const block = report.head.runs[run]?.stretches;
  const column = (name: string) => report.stretch(run, name);
  const [job, from, length, gpu, count] = ['job', 'from', 'length', 'gpu', 'count'].map(column);
  if (!block || block.rows === 0 || !job || !from || !length || !gpu) return null;
  const times = from instanceof Int32Array ? from : Int32Array.from(from);
  return new StretchIndex({ rows: block.rows, job, from: times, length, gpu, count: count ?? new Int16Array(block.rows).fill(1) });
}

function rowsOf(report: Report, run: number): GpuRows {
  let next = 0;
  return new GpuRows(
    (report.head.runs[run]?.sites ?? []).map((s) => {
      const firstGpu = s.first_gpu ?? next;
      next = firstGpu + (s.gpus ?? 0);
      return { name: s.name, firstGpu, gpus: s.gpus ?? 0, nodes: s.first_gpu === undefined ? [] : (s.node_gpus ?? []) };
    }),
  );
}

/// GPUs of a stretch's job at that time: rows of one job with the same start are one stretch on several ranges.
function gpusHeld({ all }: StretchIndex): Int32Array {
  const out = new Int32Array(all.rows);
  for (let i = 0; i < all.rows; ) {
    let end = i;
    const sums = new Map<number, number>();
    while (end < all.rows && all.from[end] === all.from[i]) {
      sums.set(all.job[end], (sums.get(all.job[end]) ?? 0) + all.count[end]);
      ++end;
    }
    for (; i < end; ++i) out[i] = sums.get(all.job[i]) ?? 0;
  }
  return out;
}

function StretchTip({ report, run, i, state, rows }: { report: Report; run: number; i: number; state: TimeState; rows: GpuRows }) {
  const info = report.head.runs[run];
  const value = (name: string) => report.stretch(run, name)?.[i] ?? NaN;
  const job = value('job');
  const people = report.population(info.population);
  const from = value('from') * info.time_unit_s + state.shift(run);
  const length = value('length') * info.time_unit_s;
  const place = rows.place(value('gpu'));
  const clock = value('clock');
  const lines = [
    { name: 'user', value: people?.user ? report.text(people.user[job]) : '' },
    { name: 'trains', value: people?.kind ? report.text(people.kind[job]) : '' },
    { name: 'asked for', value: people && !Number.isNaN(people.gpus[job]) ? many(people.gpus[job], 'GPU') : '' },
    { name: 'from', value: moment(from, state.link.origin) },
    { name: 'for', value: duration(length) },
    { name: 'on', value: `${place.node === null ? `GPU ${place.gpu}` : `node ${place.node}, GPU ${place.gpu}`}${value('count') > 1 ? `–${place.gpu + value('count') - 1}` : ''}${place.type ? ` (${place.type})` : ''}` },
    { name: 'clock', value: isDefined(clock) ? `${clock} MHz` : '' },
    { name: 'ended', value: endings[value('end')] ?? '' },
  ].filter((l) => l.value !== '');
  return <TipLines title={people ? report.text(people.name[job]) : `job ${job}`} lines={lines} />;
}

function stretchesCsv(report: Report, run: number, index: StretchIndex, state: TimeState): string {
  const { time_unit_s: unit, population } = report.head.runs[run];
  const people = report.population(population);
  const { from, to } = state.link.seen.get();
  const shift = state.shift(run);
  const rows: (string | number)[][] = [];
  const { all } = index;
  const clock = report.stretch(run, 'clock');
  const end = report.stretch(run, 'end');
  index.ranges((from - shift) / unit, (to - shift) / unit, (a, b) => {
    for (let i = a; i < b; ++i) {
      const t0 = all.from[i] * unit;
      const t1 = t0 + all.length[i] * unit;
      if (t1 < from - shift || t0 > to - shift) continue;
      const mhz = clock?.[i];
      rows.push([people ? report.text(people.name[all.job[i]]) : all.job[i], t0, t1, all.gpu[i], all.gpu[i] + all.count[i] - 1, mhz !== undefined && isDefined(mhz) ? mhz : NaN, endings[end?.[i] ?? -1] ?? '']);
    }
  });
  return csv(['job', 'from_s', 'to_s', 'first_gpu', 'last_gpu', 'clock_mhz', 'ended'], rows);
}
