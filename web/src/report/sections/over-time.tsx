import { useMemo } from 'preact/hooks';
import { Choose, Controls } from '../../parts/controls';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { colour, dash } from '../../parts/palette';
import { type Line, SeriesChart } from '../../parts/series';
import { useStore } from '../../parts/store';
import { shown } from '../../parts/theme';
import { scaleFor, withUnit } from '../../parts/units';
import { held, quantity, type Series, union } from '../data/over-time';
import type { Report } from '../data/report';
import type { Shared } from '../shared';
import type { TimeState } from '../time-state';

interface Props {
  shared: Shared;
  report: Report;
  state: TimeState;
}

/// Which run, which other and which site the charts over time show.
export function TimeControls({ shared, report, state }: Props) {
  const chosen = useStore(state.chosen);
  const { runs } = report.head;
  const have = runs.map((_, i) => i).filter((i) => runs[i].timeline || runs[i].stretches).slice(0, 500);
  const names = have.map((i) => ({ value: String(i), text: shared.label(i) }));
  const sites = runs[chosen.run]?.sites ?? [];
  return (
    <Controls>
      <Choose label="Run" value={String(chosen.run)} options={names} onChange={(v) => state.chosen.set({ ...chosen, run: Number(v), site: chosen.site < (runs[Number(v)].sites.length ?? 0) ? chosen.site : -1 })} />
      {have.length > 1 && <Choose label="and over it" value={String(chosen.other)} options={[{ value: '-1', text: 'no other' }, ...names]} onChange={(v) => state.chosen.set({ ...chosen, other: Number(v) })} />}
      {sites.length > 1 && (
        <Choose label="Site" value={String(chosen.site)} options={[{ value: '-1', text: `all ${sites.length} together` }, ...sites.map((s, i) => ({ value: String(i), text: s.name }))]} onChange={(v) => state.chosen.set({ ...chosen, site: Number(v) })} />
      )}
      <button type="button" onClick={() => state.link.reset()}>
        Whole time
      </button>
    </Controls>
  );
}

/// Power, GPUs and queue, and price and carbon below them, on one time axis.
export function OverTime({ shared, report, state }: Props) {
  const chosen = useStore(state.chosen);
  const run = report.head.runs[chosen.run];
  if (!run?.timeline || report.timelines(chosen.run).every((t) => t.time.length < 2)) return <p class="empty">There is no timeline of this run, or nothing happened in it.</p>;
  const site = chosen.site < 0 ? null : chosen.site;
  const where = site === null ? '' : ` at ${run.sites[site]?.name ?? ''}`;
  const gpus = run.sites.filter((_, i) => site === null || i === site).reduce((s, x) => s + (x.gpus ?? 0), 0);
  const thinned = report.timelines(chosen.run).some((t) => t.thinned > 1);
  const common = { shared, report, state, site };
  const currency = shared.currency(chosen.run) || 'money';
  return (
    <>
      <Quantity {...common} name="power" title={`Power${where}`} unit="W" height={150} cap budget={site === null} />
      <Quantity {...common} name="busy" title={`Busy GPUs${where}`} unit="GPUs" height={140} marks={gpus > 0 ? [{ y: gpus, text: `${gpus.toLocaleString('en-GB')} GPUs` }] : []} />
      <Quantity {...common} name="queued" title="Waiting jobs" unit="jobs" height={120} />
      <Quantity {...common} name="price" title={`Price of power${where}`} unit={`${currency}/kWh`} height={110} perSite />
      <Quantity {...common} name="carbon" title={`Carbon intensity${where}`} unit="g/kWh" height={120} perSite />
      {thinned && <p class="muted">Long timelines are thinned: means of power, price and carbon, and the largest queue, over each step.</p>}
    </>
  );
}

interface QuantityProps extends Props {
  site: number | null;
  name: string;
  title: string;
  unit: string;
  height: number;
  cap?: boolean;
  budget?: boolean;
  /// With all sites a line for each, where they are few: their mean would be of no place.
  perSite?: boolean;
  marks?: { y: number; text: string }[];
}

const fewSites = 8;

function Quantity({ shared, report, state, site, name, title, unit, height, cap, budget, perSite, marks = [] }: QuantityProps) {
  const theme = useStore(shown);
  const { run, other } = useStore(state.chosen);
  const sites = report.head.runs[run].sites;
  const split = perSite && site === null && sites.length > 1 && sites.length <= fewSites;
  const { x, lines } = useMemo(() => {
    const found: (Omit<Line, 'y'> & { series: Series })[] = [];
    if (split) sites.forEach((s, i) => found.push({ label: s.name, colour: colour(i), dash: dash(i), step: true, series: quantity(report, run, name, i) }));
    else {
      const mean = perSite && site === null && sites.length > 1 ? `mean of ${sites.length} sites` : shared.label(run);
      found.push({ label: mean, colour: colour(0), step: true, series: quantity(report, run, name, site) });
      if (other >= 0 && other !== run && !perSite) found.push({ label: shared.label(other), colour: colour(1), dash: [5, 3], step: true, series: moved(quantity(report, other, name, site), state.shift(other)) });
    }
    if (cap) {
      const limit = quantity(report, run, 'cap', site);
      if (limit.values.some((v) => !Number.isNaN(v))) found.push({ label: 'power cap', colour: colour(6), dash: [2, 2], width: 1.5, step: true, series: limit });
    }
    const x = found.map((f) => f.series.time).reduce((a, b) => (a === b || same(a, b) ? a : union(a, b)));
    return { x, lines: found.map(({ series, ...rest }) => ({ ...rest, y: withNulls(held(x, series.time, series.values)) })) };
  }, [report, run, other, site, name, theme]);
  const limits = useMemo(() => {
    const own = budget ? [run, other].flatMap((r) => (r >= 0 && report.head.runs[r].budget ? [report.head.runs[r].budget!] : [])) : [];
    const seen = new Set<number>();
    return [...marks, ...own.filter((b) => !seen.has(b.watts) && seen.add(b.watts)).map((b) => ({ y: b.watts, text: `budget ${b.text}` }))];
  }, [run, other, budget, marks.map((m) => m.y).join()]);
  if (lines.every((l) => Array.prototype.every.call(l.y, (v: number | null) => v === null)))
    return (
      <Figure title={title} noPng>
        <p class="empty">Not known for this run.</p>
      </Figure>
    );
  const most = lines.reduce((m, l) => Array.prototype.reduce.call<typeof l.y, [(m: number, v: number | null) => number, number], number>(l.y, (n, v) => Math.max(n, Math.abs(v ?? 0)), m), 0);
  if (perSite && most === 0)
    return (
      <Figure title={title} noPng>
        <p class="empty">0 throughout.</p>
      </Figure>
    );
  const scale = scaleFor(unit, most);
  return (
    <Figure
      title={title}
      unit={unit === 'GPUs' || unit === 'jobs' ? undefined : scale.unit}
      legend={lines.length > 1 || other >= 0 ? lines : undefined}
      csv={() => csv(['time_s', ...lines.map((l) => `${l.label} [${unit}]`)], Array.from(x, (t, i) => [t, ...lines.map((l) => l.y[i])]))}
    >
      <SeriesChart label={`${title} over time`} height={height} x={x} lines={lines} link={state.link} factor={scale.factor} marks={limits} sayY={(v) => withUnit(v, unit)} />
    </Figure>
  );
}

function moved(series: Series, by: number): Series {
  return by === 0 ? series : { ...series, time: series.time.map((t) => t + by) };
}

function same(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((v, i) => v === b[i]);
}

function withNulls(values: Float64Array): (number | null)[] {
  return Array.from(values, (v) => (Number.isNaN(v) ? null : v));
}
