import { useMemo, useState } from 'preact/hooks';
import { Bands } from '../../parts/bands';
import { Cloud } from '../../parts/cloud';
import { Choose } from '../../parts/controls';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { colour, dash } from '../../parts/palette';
import { SeriesChart } from '../../parts/series';
import { useStore } from '../../parts/store';
import { shown } from '../../parts/theme';
import { linearTicks } from '../../parts/ticks';
import { TipLines } from '../../parts/tip';
import { fixed, plain, short } from '../../parts/units';
import type { Head } from '../data/head';
import { value } from '../data/measures';
import type { Report } from '../data/report';
import { choices, curve } from '../data/training';
import type { Shared } from '../shared';
import type { TimeState } from '../time-state';

interface Props {
  shared: Shared;
  report: Report;
  state: TimeState;
}

const hasPredicted = (head: Head, run: number) => {
  const column = head.runs[run].jobs?.columns?.predicted;
  return column !== undefined && !(column.enc === 'const' && !((column.value ?? 0) > 0));
};

/// Runs of which something is learned, chosen by reasons, or predicted.
export function learnedRuns(head: Head): number[] {
  return head.runs.map((_, i) => i).filter((i) => head.runs[i].training || (head.runs[i].reasons?.rows ?? 0) > 0 || hasPredicted(head, i));
}

/// How a policy learned, what it chose and why, and how far its predictions were off.
export function Learning({ shared, report, state }: Props) {
  const runs = learnedRuns(report.head);
  const [run, setRun] = useState(runs.find((r) => report.head.runs[r].training) ?? runs[0]);
  return (
    <>
      <div class="controls">
        <Choose label="Run" value={String(run)} options={runs.slice(0, 500).map((i) => ({ value: String(i), text: shared.label(i) }))} onChange={(v) => setRun(Number(v))} />
      </div>
      <Strategies shared={shared} report={report} state={state} run={run} />
      <div class="figures">
        <Training report={report} run={run} />
        <Predictions shared={shared} report={report} run={run} />
      </div>
    </>
  );
}

function Training({ report, run }: { report: Report; run: number }) {
  const theme = useStore(shown);
  const training = report.head.runs[run].training;
  const names = training ? choices(training) : [];
  const [chosen, setChosen] = useState('');
  const yName = names.includes(chosen) ? chosen : names[0];
  const found = useMemo(() => {
    const drawn = training && yName !== undefined ? curve(training, yName) : null;
    return drawn && { ...drawn, lines: drawn.lines.slice(0, 32).map((l, i) => ({ ...l, colour: colour(i), dash: dash(i) })) };
  }, [training, yName, theme]);
  if (!training || !found) return <Figure title="Training" noPng><p class="empty">No training curve lies beside the weights of this policy.</p></Figure>;
  const all = found.lines.flatMap((l) => l.y).filter((v): v is number => v !== null);
  const low = all.reduce((m, v) => Math.min(m, v), Infinity);
  const high = all.reduce((m, v) => Math.max(m, v), -Infinity);
  const room = (high - low || 1) * 0.05;
  return (
    <Figure
      title="Training"
      unit={`${yName} by ${found.xName}`}
      legend={found.lines.length > 1 ? found.lines : undefined}
      csv={() => csv([found.xName, ...found.lines.map((l) => l.label)], found.x.map((x, i) => [x, ...found.lines.map((l) => l.y[i])]))}
      caption={training.file}
    >
      {names.length > 1 && (
        <div class="controls noprint">
          <Choose label="Shown" value={yName} options={names.map((n) => ({ value: n, text: n }))} onChange={setChosen} />
        </div>
      )}
      <SeriesChart
        label={`Training: ${yName} by ${found.xName}`}
        height={260}
        x={found.x}
        lines={found.lines}
        yRange={[low - room, high + room]}
        xTicks={(a, b, n) => ({ at: linearTicks(a, b, n), text: linearTicks(a, b, n).map(plain) })}
        sayX={(v) => `${found.xName} ${short(v)}`}
        sayY={short}
      />
    </Figure>
  );
}

const mostReasons = 8;

function Strategies({ shared, report, state, run }: Props & { run: number }) {
  const theme = useStore(shown);
  useStore(state.chosen);
  const found = useMemo(() => {
    const reasons = report.reasons(run);
    if (!reasons) return null;
    const makespan = value(report.head.runs[run], 'makespan_s');
    const end = Math.max(reasons.time[reasons.time.length - 1], makespan || 0);
    const counts = new Map<string, number>();
    reasons.text.forEach((t, i) => counts.set(t, (counts.get(t) ?? 0) + ((reasons.time[i + 1] ?? end) - reasons.time[i])));
    const sorted = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!);
    const names = sorted.length > mostReasons ? [...sorted.slice(0, mostReasons - 1), `${sorted.length - mostReasons + 1} others`] : sorted;
    const place = new Map(sorted.map((t, i) => [t, Math.min(i, names.length - 1)]));
    const total = [...counts.values()].reduce((a, b) => a + b, 0) || 1;
    const shares = names.map((_, k) => sorted.filter((t) => place.get(t) === k).reduce((s, t) => s + counts.get(t)!, 0) / total);
    const shift = state.shift(run);
    return { names, shares, end: end + shift, what: Uint8Array.from(reasons.text, (t) => place.get(t)!), time: reasons.time.map((t) => t + shift), reasons };
  }, [report, run]);
  const colours = useMemo(() => found?.names.map((_, i) => colour(i)) ?? [], [found, theme]);
  const title = `What ${shared.label(run)} chose over time`;
  if (!found) return <Figure title={title} noPng><p class="empty">This policy states no reasons.</p></Figure>;
  return (
    <Figure
      title={title}
      unit="strategy or reason"
      legend={found.names.map((name, i) => ({ label: `${i + 1} ${name || '(none)'}, ${fixed(found.shares[i] * 100, 0)} % of the time`, colour: colours[i], shape: 'block' }))}
      csv={() => csv(['time_s', 'reason'], found.reasons.text.map((t, i) => [found.reasons.time[i], t]))}
    >
      <Bands label={title} time={found.time} what={found.what} end={found.end} names={found.names} colours={colours} link={state.link} />
    </Figure>
  );
}

function Predictions({ shared, report, run }: { shared: Shared; report: Report; run: number }) {
  useStore(shown);
  const people = report.population(report.head.runs[run].population);
  const found = useMemo(() => {
    if (!hasPredicted(report.head, run)) return null;
    const predicted = report.job(run, 'predicted');
    const paid = report.job(run, 'cost');
    const rows = Array.from(predicted.keys()).filter((i) => predicted[i] > 0 && paid[i] > 0);
    if (rows.length === 0) return null;
    const errors = rows.map((i) => Math.abs(paid[i] - predicted[i]) / predicted[i]).sort((a, b) => a - b);
    return { rows, x: Float64Array.from(rows, (i) => predicted[i]), y: Float64Array.from(rows, (i) => paid[i]), median: errors[Math.floor(errors.length / 2)] };
  }, [report, run]);
  const names = useMemo(() => ({ x: 'predicted', y: 'paid' }), []);
  const currency = shared.currency(run);
  const title = 'Predicted and realised cost of jobs';
  if (!found) return <Figure title={title} noPng><p class="empty">Nothing was predicted of the jobs of this run.</p></Figure>;
  const whole = value(report.head.runs[run], 'prediction_error');
  const name = (i: number) => (people ? report.text(people.name[found.rows[i]]) : `job ${found.rows[i]}`);
  return (
    <Figure
      title={title}
      unit={`${currency}, both axes logarithmic`}
      legend={[{ label: 'a job', colour: colour(0), shape: 'square' }, { label: 'as predicted', colour: 'currentColor', dash: [4, 3] }]}
      csv={() => csv(['job', `predicted [${currency}]`, `paid [${currency}]`], found.rows.map((_, i) => [name(i), found.x[i], found.y[i]]))}
      caption={`Half of the ${fixed(found.rows.length, 0)} jobs are off by less than ${fixed(found.median * 100, 1)} %${Number.isNaN(whole) ? '' : `; all of them together by ${fixed(whole * 100, 1)} %`}.`}
    >
      <Cloud
        label={`${title}, one point per job`}
        x={found.x}
        y={found.y}
        names={names}
        colour={colour(0)}
        say={(i) => <TipLines title={name(i)} lines={[{ name: 'predicted', value: `${short(found.x[i])} ${currency}` }, { name: 'paid', value: `${short(found.y[i])} ${currency}` }, { name: 'off by', value: `${fixed((found.y[i] / found.x[i] - 1) * 100, 1)} %` }]} />}
        onPick={(i) => shared.open.set({ run, row: found.rows[i] })}
      />
    </Figure>
  );
}
