import { useMemo, useState } from 'preact/hooks';
import { Check, Choose, Controls } from '../../parts/controls';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { useStore } from '../../parts/store';
import { type Sort, Table, type TableColumn } from '../../parts/table';
import { changeOf, decimalsFor, fixed, isCount, nothing, scaleFor, signed } from '../../parts/units';
import { important, measure, type Measure, measuresOf, spelled, value } from '../data/measures';
import type { Run } from '../data/head';
import type { Shared } from '../shared';

type Mode = 'percent' | 'difference' | 'none';

/// Every run by every measure, and what has changed against one of them.
export function Compare({ shared }: { shared: Shared }) {
  const { runs, inputs } = shared.head;
  const baseline = useStore(shared.baseline);
  const [all, setAll] = useState(false);
  const [mode, setMode] = useState<Mode>('percent');
  const [sort, setSort] = useState<Sort | null>(null);
  const [search, setSearch] = useState('');
  const names = useMemo(() => {
    const present = measuresOf(runs);
    const isCostOnly = runs.every((r) => Object.is(value(r, 'total_cost'), value(r, 'energy_cost')));
    const some = important.filter((n) => present.includes(n) && runs.some((r) => value(r, n) !== 0) && !(n === 'total_cost' && isCostOnly));
    return all ? present : some;
  }, [runs, all]);
  const specs = useMemo(() => names.map((name) => spec(shared, measure(name, inputs))), [names]);
  const order = useMemo(() => {
    const words = search.toLowerCase();
    const rows = runs.map((_, i) => i).filter((i) => runs[i].label.toLowerCase().includes(words));
    return sort ? sorted(rows, sort, shared) : rows;
  }, [sort, search, runs]);
  const swept = useMemo(() => sweptOf(shared), [runs]);
  const longest = useMemo(() => runs.reduce((most, r) => Math.max(most, r.label.length), 0), [runs]);
  const change = runs.length > 1 ? mode : 'none';

  const columns: TableColumn[] = [
    {
      id: 'label', head: 'policy', text: true, width: `min(${Math.min(22, Math.max(8, longest * 0.46 + 1.4))}rem, 38vw)`,
      cell: (r) => (
        <span title={runs[r].label}>
          {runs[r].label}
          {r === baseline && change !== 'none' && <span class="change">baseline</span>}
        </span>
      ),
    },
    ...swept.map(({ key, values }) => ({
      id: `sweep ${key}`,
      head: key.split('.').pop() ?? key,
      title: key,
      text: true,
      width: `${Math.max(5.4, Math.min(12, (key.split('.').pop() ?? key).length * 0.5 + 1.8))}rem`,
      cell: (r: number) => (values[r] === null || values[r] === undefined ? nothing : String(values[r])),
    })),
    ...specs.map((s) => ({
      id: s.measure.name,
      head: s.measure.head,
      unit: s.unit,
      title: `${s.measure.name}: ${s.measure.text}`,
      width: `${Math.max(5.1, s.measure.head.length * 0.47 + 1.5, s.longest * 0.52 + 2.4)}rem`,
      cell: (r: number) => <Value spec={s} shared={shared} run={r} baseline={baseline} mode={change} />,
    })),
  ];
  const asCsv = () =>
    csv(
      ['policy', ...names.map((n) => `${n}${shared.unit(n) ? ` [${measure(n, inputs).unit === 'share' ? 'ratio' : shared.unit(n)}]` : ''}`)],
      Array.from(order, (r) => [runs[r].label, ...names.map((n) => value(runs[r], n))]),
    );
  return (
    <>
      <Controls>
        {runs.length > 1 && (
          <Choose label="Compared with" value={String(baseline)} options={runs.slice(0, 500).map((r, i) => ({ value: String(i), text: r.label }))} onChange={(v) => shared.baseline.set(Number(v))} />
        )}
        {runs.length > 1 && (
          <Choose
            label="Change shown"
            value={mode}
            options={[{ value: 'percent', text: 'in percent' }, { value: 'difference', text: 'as difference' }, { value: 'none', text: 'not at all' }]}
            onChange={(v) => setMode(v as Mode)}
          />
        )}
        {runs.length > 20 && (
          <label class="field">
            <span>Find a policy</span>
            <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
          </label>
        )}
        {shared.isFolded && <Fold shared={shared} />}
        <Check label="All measures" value={all} onChange={setAll} />
      </Controls>
      <Figure title="Comparison of runs" csv={asCsv} noPng caption={caption(shared, baseline, change)}>
        {order.length === 0 ? (
          <p class="empty">{runs.length === 0 ? 'The report holds no runs.' : 'No run has that in its name.'}</p>
        ) : names.length === 0 ? (
          <p class="empty">No measure that matters has a value: no job has finished in any run. “All measures” shows what there is.</p>
        ) : (
          <Table
            label="Comparison of runs"
            columns={columns}
            order={order}
            rowHeight={change === 'none' ? 28 : 44}
            maxHeight={1000}
            sort={sort}
            onSort={(id) => setSort(sort?.id === id ? (sort.down ? null : { id, down: true }) : { id, down: false })}
          />
        )}
      </Figure>
    </>
  );
}

/// Which runs the charts show, where there are more than can be told apart.
function Fold({ shared }: { shared: Shared }) {
  const { by, most } = useStore(shared.fold);
  const options = important.filter((n) => shared.head.runs.some((r) => !Number.isNaN(value(r, n))));
  return (
    <>
      <Choose label="Charts show the best" value={String(most)} options={[6, 12, 24, 48].map((n) => ({ value: String(n), text: `${n} runs` }))} onChange={(v) => shared.fold.set({ by, most: Number(v) })} />
      <Choose label="by" value={by} options={options.map((n) => ({ value: n, text: measure(n, shared.head.inputs).head }))} onChange={(v) => shared.fold.set({ by: v, most })} />
    </>
  );
}

interface Spec {
  measure: Measure;
  unit: string;
  factor: number;
  decimals: number;
  /// What the best value reads like; null where none is best.
  best: string | null;
  /// Letters of the longest value.
  longest: number;
}

/// Whether no run left fewer jobs unfinished.
function leavesFewest(run: Run, runs: readonly Run[]): boolean {
  const left = (r: Run) => value(r, 'jobs_unfinished') || 0;
  return runs.every((r) => left(run) <= left(r));
}

function spec(shared: Shared, m: Measure): Spec {
  const values = shared.head.runs.map((r) => value(r, m.name)).filter((v) => !Number.isNaN(v));
  // A run that leaves more jobs unfinished than another gets no star.
  const able = shared.head.runs.filter((r) => leavesFewest(r, shared.head.runs)).map((r) => value(r, m.name)).filter((v) => !Number.isNaN(v));
  const scale = scaleFor(m.unit, values.reduce((most, v) => Math.max(most, Math.abs(v)), 0));
  const scaled = values.map((v) => v / scale.factor);
  const decimals = isCount(m.unit) && scaled.every(Number.isInteger) ? 0 : decimalsFor(scaled);
  const texts = scaled.map((v) => fixed(v, decimals));
  let best: string | null = null;
  if (m.better !== 'neither' && able.length > 0 && texts.some((t) => t !== texts[0])) {
    const sign = m.better === 'lower' ? 1 : -1;
    best = fixed(able.reduce((b, v) => (sign * v < sign * b ? v : b)) / scale.factor, decimals);
  }
  return { measure: m, unit: spelled(scale.unit, shared.currency()), factor: scale.factor, decimals, best, longest: texts.reduce((most, t) => Math.max(most, t.length), 0) };
}

function Value({ spec: s, shared, run, baseline, mode }: { spec: Spec; shared: Shared; run: number; baseline: number; mode: Mode }) {
  const v = value(shared.head.runs[run], s.measure.name);
  const text = fixed(v / s.factor, s.decimals);
  const isBest = s.best !== null && text === s.best && leavesFewest(shared.head.runs[run], shared.head.runs);
  const base = value(shared.head.runs[baseline], s.measure.name);
  return (
    <>
      <span class={isBest ? 'best' : ''}>
        {isBest && (
          <span title="best of its column" role="img" aria-label="best">
            ★{' '}
          </span>
        )}
        {text}
      </span>
      {mode !== 'none' && <Change spec={s} v={v} base={base} mode={mode} own={run === baseline} />}
    </>
  );
}

function Change({ spec: s, v, base, mode, own }: { spec: Spec; v: number; base: number; mode: Mode; own: boolean }) {
  if (own || Number.isNaN(v) || Number.isNaN(base)) return <span class="change"> </span>;
  const part = mode === 'percent' && s.measure.name !== 'utility' ? changeOf(v, base) : null;
  const text = part === null ? signed((v - base) / s.factor, s.decimals) : `${signed(part * 100, 1)} %`;
  const sign = s.measure.better === 'lower' ? base - v : s.measure.better === 'higher' ? v - base : 0;
  if (!/[1-9]/.test(text) || sign === 0) return <span class="change">{text}</span>;
  return (
    <span class={`change ${sign > 0 ? 'good' : 'bad'}`}>
      <span role="img" aria-label={sign > 0 ? 'better' : 'worse'}>
        {sign > 0 ? '✓' : '✗'}
      </span>{' '}
      {text}
    </span>
  );
}

/// The first keys of a sweep, with the value of each run.
function sweptOf({ head }: Shared): { key: string; values: unknown[] }[] {
  return (head.sweep?.keys ?? []).slice(0, 6).map((key, k) => ({ key, values: head.sweep!.values[k] ?? [] }));
}

function sorted(rows: number[], { id, down }: Sort, shared: Shared): number[] {
  const { runs } = shared.head;
  const sign = down ? -1 : 1;
  const swept = sweptOf(shared).find((s) => `sweep ${s.key}` === id);
  const text = (v: unknown) => String(v ?? '');
  if (swept) return rows.sort((a, b) => sign * text(swept.values[a]).localeCompare(text(swept.values[b]), 'en', { numeric: true }) || a - b);
  if (id === 'label') return rows.sort((a, b) => sign * runs[a].label.localeCompare(runs[b].label, 'en', { numeric: true }));
  return rows.sort((a, b) => {
    const [x, y] = [value(runs[a], id), value(runs[b], id)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return sign * (x - y) || a - b;
  });
}

function caption(shared: Shared, baseline: number, mode: Mode): string {
  const runs = shared.head.runs;
  const barred = runs.some((r) => !leavesFewest(r, runs)) ? ' Runs that leave more jobs unfinished than another get no star: means are over finished jobs.' : '';
  const star = `★ best of its column.${barred}`;
  if (shared.head.runs.length === 1) return 'One run only: there is nothing to compare it with.';
  if (mode === 'none') return star;
  return `${star} Below each value: change against ${shared.label(baseline)}; ✓ better, ✗ worse${mode === 'percent' ? '; a difference where percent would say nothing' : ''}.`;
}
