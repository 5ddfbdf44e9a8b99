import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { CanvasChart, type Pen } from '../../parts/canvas';
import { csv } from '../../parts/csv';
import { type Entry, Figure } from '../../parts/figure';
import { css, ramp } from '../../parts/palette';
import { font } from '../../parts/picture';
import { fitted, stroke } from '../../parts/plane';
import { useStore } from '../../parts/store';
import { moment } from '../../parts/ticks';
import { TipLines } from '../../parts/tip';
import { duration, fixed, many, short } from '../../parts/units';
import { isDefined } from '../data/columns';
import { originOf, type Report } from '../data/report';
import type { Shared } from '../shared';
import { endings } from './schedule';

/// The life of the job that is open, compared between runs.
export function Life({ shared, report }: { shared: Shared; report: Report }) {
  const open = useStore(shared.open);
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !box.current!.open) box.current!.showModal();
  }, [open]);
  const close = () => box.current?.close();
  return (
    <dialog ref={box} aria-labelledby="life-title" onClose={() => shared.open.set(null)} onClick={(e) => e.target === box.current && close()}>
      {open && <Open shared={shared} report={report} run={open.run} row={open.row} close={close} />}
    </dialog>
  );
}

interface OpenProps {
  shared: Shared;
  report: Report;
  run: number;
  row: number;
  close: () => void;
}

function Open({ shared, report, run, row, close }: OpenProps) {
  const info = report.head.runs[run];
  const people = report.population(info.population);
  const runs = useMemo(() => [run, ...shared.charted().filter((r) => r !== run && report.head.runs[r].population === info.population && report.head.runs[r].jobs)], [run]);
  if (!people) return <p class="empty">Nothing is known of this job.</p>;
  const origin = originOf(info);
  const text = (of: ArrayLike<number> | null) => (of ? report.text(of[row]) : '');
  const facts = [
    ['User', text(people.user)],
    ['Trains', text(people.kind)],
    ['Home', text(people.home)],
    ['Submitted', moment(people.submitted[row], origin)],
    ['Asked for', `${many(people.gpus[row], 'GPU')} for ${duration(people.requested[row])}`],
    ['Deadline', Number.isNaN(people.deadline[row]) ? '' : `${duration(people.deadline[row])} after submission`],
  ].filter(([, v]) => v !== '');
  return (
    <>
      <div class="dialog-head">
        <h2 id="life-title">{text(people.name) || `job ${row}`}</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <dl class="facts">
        {facts.map(([name, v]) => (
          <div>
            <dt>{name}</dt>
            <dd>{v}</dd>
          </div>
        ))}
      </dl>
      <Bills shared={shared} report={report} runs={runs} row={row} />
      <Stretches shared={shared} report={report} runs={runs} row={row} />
    </>
  );
}

function Bills({ shared, report, runs, row }: { shared: Shared; report: Report; runs: number[]; row: number }) {
  const currency = shared.currency(runs[0]);
  const anyLate = runs.some((r) => !Number.isNaN(report.job(r, 'tardiness')[row]));
  const anyPredicted = runs.some((r) => !Number.isNaN(report.job(r, 'predicted')[row]));
  const of = (r: number, name: string) => report.job(r, name)[row];
  const columns: [string, string, (r: number) => string][] = [
    ['wait', '', (r) => duration(of(r, 'wait'))],
    ['run', '', (r) => duration(of(r, 'run'))],
    ['JCT', '', (r) => duration(report.jct(r)[row])],
    ['GPUs', 'mean', (r) => short(of(r, 'gpus'))],
    ['clock', 'MHz, mean', (r) => fixed(of(r, 'clock'), 0)],
    ['energy', 'kWh', (r) => short(of(r, 'energy'))],
    ['cost', currency, (r) => short(of(r, 'cost'))],
    ...(anyPredicted ? ([['predicted', currency, (r) => short(of(r, 'predicted'))]] as [string, string, (r: number) => string][]) : []),
    ['carbon', 'kg', (r) => short(of(r, 'carbon'))],
    ...(anyLate ? ([['tardiness', '', (r) => duration(of(r, 'tardiness'))]] as [string, string, (r: number) => string][]) : []),
    ['restarts', 'times', (r) => fixed(of(r, 'restarts'), 0)],
  ];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="The job under each run">
      <table class="small">
        <thead>
          <tr>
            <th scope="col">run</th>
            {columns.map(([name, unit]) => (
              <th scope="col">
                {name} <span class="unit">{unit}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((r) => (
            <tr>
              <td>
                {shared.label(r)}
                {Number.isNaN(report.jct(r)[row]) && <span class="muted"> (never ended)</span>}
              </td>
              {columns.map(([, , say]) => (
                <td>{say(r)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Stretch {
  from: number;
  to: number;
  gpus: number;
  clock: number;
  end: string;
}

/// The stretches of a job in a run, rows on several ranges of GPUs taken together, in seconds since submission.
function stretchesOf(report: Report, run: number, row: number, submitted: number): Stretch[] {
  const [job, from, length, count, clock, end] = ['job', 'from', 'length', 'count', 'clock', 'end'].map((n) => report.stretch(run, n));
  if (!job || !from || !length) return [];
  const unit = report.head.runs[run].time_unit_s;
  const out: Stretch[] = [];
  for (let i = 0; i < job.length; ++i) {
    if (job[i] !== row) continue;
    const begin = from[i] * unit - submitted;
    const last = out[out.length - 1];
    if (last && last.from === begin) last.gpus += count?.[i] ?? 1;
    else out.push({ from: begin, to: begin + length[i] * unit, gpus: count?.[i] ?? 1, clock: clock && isDefined(clock[i]) ? clock[i] : NaN, end: endings[end?.[i] ?? -1] ?? '' });
  }
  return out;
}

const rowHeight = 40;

function Stretches({ shared, report, runs, row }: { shared: Shared; report: Report; runs: number[]; row: number }) {
  const people = report.population(report.head.runs[runs[0]].population)!;
  const submitted = people.submitted[row];
  const deadline = people.deadline[row];
  const lives = useMemo(() => runs.map((r) => ({ run: r, parts: stretchesOf(report, r, row, submitted) })).filter((l) => l.parts.length > 0), [runs, row]);
  const last = Math.max(1, Number.isNaN(deadline) ? 0 : deadline, ...lives.flatMap((l) => l.parts.map((p) => p.to)));
  const most = Math.max(1, ...lives.flatMap((l) => l.parts.map((p) => p.gpus)));
  const clocks = lives.flatMap((l) => l.parts.map((p) => p.clock)).filter((c) => !Number.isNaN(c));
  const [slow, fast] = clocks.length ? [Math.min(...clocks), Math.max(...clocks)] : [0, 0];
  const legend: Entry[] = fast > 0 ? [...new Set([slow, fast])].map((c, i) => ({ label: `${c} MHz`, colour: css(ramp(fast > slow ? i : 0.5)), shape: 'block' })) : [];
  if (lives.some((l) => l.parts.some((p) => Number.isNaN(p.clock)))) legend.push({ label: 'clock not known', colour: 'var(--muted)', shape: 'block' });
  const left = (width: number) => Math.min(170, width * 0.32);
  const draw = useCallback(
    ({ ctx, width, colours }: Pen) => {
      const x0 = left(width);
      const x = (t: number) => x0 + (t / last) * (width - x0 - 8);
      ctx.font = font(11);
      lives.forEach(({ run, parts }, i) => {
        const base = (i + 1) * rowHeight - 6;
        ctx.textAlign = 'right';
        ctx.fillStyle = colours.text;
        ctx.fillText(fitted(ctx, shared.label(run), x0 - 10), x0 - 8, base - rowHeight / 2 + 8);
        ctx.strokeStyle = colours.muted;
        ctx.lineWidth = 1;
        stroke(ctx, x0, base + 0.5, x(parts[parts.length - 1].to), base + 0.5);
        for (const p of parts) {
          const h = Math.max(3, (p.gpus / most) * (rowHeight - 12));
          ctx.fillStyle = Number.isNaN(p.clock) ? colours.muted : css(ramp(fast > slow ? (p.clock - slow) / (fast - slow) : 0.5));
          ctx.fillRect(x(p.from), base - h, Math.max(1.5, x(p.to) - x(p.from) - 1), h);
        }
      });
      const bottom = lives.length * rowHeight;
      ctx.fillStyle = colours.muted;
      ctx.strokeStyle = colours.line;
      stroke(ctx, x0, bottom + 0.5, width - 8, bottom + 0.5);
      for (const share of [0, 0.25, 0.5, 0.75, 1]) {
        ctx.textAlign = share === 0 ? 'left' : share === 1 ? 'right' : 'center';
        if (width > 460 || share === 0 || share === 1) ctx.fillText(share === 0 ? 'submitted' : duration(Math.round(last * share)), x(last * share), bottom + 12);
      }
      if (!Number.isNaN(deadline)) {
        ctx.strokeStyle = colours.text;
        ctx.setLineDash([4, 3]);
        stroke(ctx, x(deadline), 0, x(deadline), bottom);
        ctx.setLineDash([]);
        ctx.fillStyle = colours.text;
        ctx.textAlign = x(deadline) > width - 70 ? 'right' : 'left';
        ctx.fillText('deadline', x(deadline) + (ctx.textAlign === 'left' ? 4 : -4), 6);
      }
    },
    [lives, row],
  );
  if (lives.length === 0) return <p class="empty">It is not known when the job held which GPUs.</p>;
  const tip = (px: number, py: number, width: number) => {
    const life = lives[Math.floor(py / rowHeight)];
    const t = ((px - left(width)) / (width - left(width) - 8)) * last;
    const near = last / width;
    const part = life?.parts.find((p) => t >= p.from - near && t <= p.to + near);
    if (!part) return null;
    const lines = [
      { name: 'starts after', value: duration(part.from) },
      { name: 'for', value: duration(part.to - part.from) },
      { name: 'on', value: many(part.gpus, 'GPU') },
      { name: 'clock', value: Number.isNaN(part.clock) ? '' : `${part.clock} MHz` },
      { name: 'ended', value: part.end },
    ].filter((l) => l.value !== '');
    return <TipLines title={shared.label(life.run)} lines={lines} />;
  };
  return (
    <Figure
      title="Its stretches"
      unit="height: GPUs; colour: clock"
      legend={legend}
      csv={() => csv(['run', 'from_s', 'to_s', 'gpus', 'clock_mhz', 'ended'], lives.flatMap((l) => l.parts.map((p) => [shared.label(l.run), p.from, p.to, p.gpus, p.clock, p.end])))}
      caption="Seconds in the CSV count from submission."
    >
      <CanvasChart height={lives.length * rowHeight + 22} label="When the job held GPUs, one row per run" draw={draw} tip={tip} />
    </Figure>
  );
}
