import { useMemo, useState } from 'preact/hooks';
import { Choose, Controls } from '../../parts/controls';
import { type Cell, csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { type Sort, Table, type TableColumn } from '../../parts/table';
import { moment } from '../../parts/ticks';
import { duration, fixed, short } from '../../parts/units';
import { type Filter, filtered, ranks, sortRows, states } from '../data/job-rows';
import { originOf, type Report } from '../data/report';
import type { Shared } from '../shared';

interface JobColumn extends TableColumn {
  keys: () => Float64Array;
  plain: (row: number) => Cell;
}

/// Every job of a run: found by words, sorted by any column, opened by a click.
export function Jobs({ shared, report }: { shared: Shared; report: Report }) {
  const have = report.head.runs.map((_, i) => i).filter((i) => report.head.runs[i].jobs && report.population(report.head.runs[i].population));
  const [run, setRun] = useState(have.includes(shared.baseline.get()) ? shared.baseline.get() : have[0]);
  const [filter, setFilter] = useState<Filter>({ words: '', state: 'all', site: -1 });
  const [sort, setSort] = useState<Sort | null>(null);
  const columns = useMemo(() => (run === undefined ? [] : columnsOf(shared, report, run)), [report, run]);
  const kept = useMemo(() => (run === undefined ? new Uint32Array(0) : filtered(report, run, filter)), [report, run, filter]);
  const order = useMemo(() => {
    const by = sort && columns.find((c) => c.id === sort.id);
    return by ? sortRows(kept, by.keys(), sort.down) : kept;
  }, [kept, sort, columns]);
  if (run === undefined) return <p class="empty">The report holds no jobs, only their sums.</p>;
  const { sites, population } = report.head.runs[run];
  const all = report.population(population)?.rows ?? 0;
  const rows = () => csv(columns.map((c) => (c.unit ? `${c.head} [${c.unit}]` : c.head)), Array.from(order, (r) => columns.map((c) => c.plain(r))));
  return (
    <>
      <Controls>
        <Choose label="Run" value={String(run)} options={have.slice(0, 500).map((i) => ({ value: String(i), text: shared.label(i) }))} onChange={(v) => setRun(Number(v))} />
        <label class="field">
          <span>Find by name, user or kind</span>
          <input type="search" value={filter.words} onInput={(e) => setFilter({ ...filter, words: e.currentTarget.value })} />
        </label>
        <Choose
          label="State"
          value={filter.state}
          options={[{ value: 'all', text: 'all' }, { value: 'finished', text: 'finished' }, { value: 'late', text: 'late' }, { value: 'killed', text: 'killed' }, { value: 'unfinished', text: 'never ended' }]}
          onChange={(v) => setFilter({ ...filter, state: v as Filter['state'] })}
        />
        {sites.length > 1 && <Choose label="Site" value={String(filter.site)} options={[{ value: '-1', text: 'all' }, ...sites.map((s, i) => ({ value: String(i), text: s.name }))]} onChange={(v) => setFilter({ ...filter, site: Number(v) })} />}
      </Controls>
      <Figure title={`Jobs of ${shared.label(run)}`} unit={`${fixed(order.length, 0)} of ${fixed(all, 0)}`} csv={rows} noPng caption="A click, or Enter on a row, opens a job’s life.">
        {order.length === 0 ? (
          <p class="empty">{all === 0 ? 'No job was submitted.' : 'No job is like that.'}</p>
        ) : (
          <Table
            label="Jobs"
            columns={columns}
            order={order}
            rowHeight={27}
            maxHeight={560}
            sort={sort}
            onSort={(id) => setSort(sort?.id === id ? (sort.down ? null : { id, down: true }) : { id, down: false })}
            onOpen={(row) => shared.open.set({ run, row })}
          />
        )}
      </Figure>
    </>
  );
}

function columnsOf(shared: Shared, report: Report, run: number): JobColumn[] {
  const info = report.head.runs[run];
  const people = report.population(info.population)!;
  const { texts } = report.head;
  const currency = shared.currency(run);
  const origin = originOf(info);
  const job = (name: string) => report.job(run, name);
  const state = states(report, run);
  const name = (s: number) => (s === 0 ? 'never ended' : s & 2 ? 'killed' : s & 4 ? 'late' : 'finished');
  const text = (id: string, head: string, width: string, of: ArrayLike<number> | null): JobColumn[] =>
    of === null || Array.prototype.every.call(of, (t: number) => texts[t] === '') ? [] : [{ id, head, width, text: true, cell: (r) => <span title={texts[of[r]]}>{texts[of[r]] || '–'}</span>, keys: () => ranks(texts, of), plain: (r) => texts[of[r]] }];
  const number = (id: string, head: string, unit: string, of: () => Float64Array, say: (v: number) => string, width = '5.6rem'): JobColumn => ({ id, head, unit, width, cell: (r) => say(of()[r]), keys: of, plain: (r) => of()[r] });
  const columns: (JobColumn | false)[] = [
    ...text('name', 'job', 'minmax(min(15rem, 42vw), 2fr)', people.name),
    ...text('user', 'user', 'minmax(5rem, 1fr)', people.user),
    ...text('kind', 'trains', 'minmax(5rem, 1fr)', people.kind),
    { id: 'state', head: 'state', width: '5.6rem', text: true, cell: (r) => name(state[r]), keys: () => Float64Array.from(state), plain: (r) => name(state[r]) },
    number('gpus', 'GPUs', 'asked', () => people.gpus, (v) => fixed(v, 0), '4rem'),
    number('submitted', 'submitted', origin === null ? 'since start' : 'UTC', () => people.submitted, (v) => (origin === null ? moment(v, null) : new Date(origin + v * 1000).toISOString().slice(0, 16).replace('T', ' ')), '8.6rem'),
    number('wait', 'wait', '', () => job('wait'), duration, '6.2rem'),
    number('run', 'run', '', () => job('run'), duration, '6.2rem'),
    number('jct', 'JCT', '', () => report.jct(run), duration, '6.2rem'),
    number('slowdown', 'slowdown', '×', () => report.slowdown(run), (v) => fixed(v, 2)),
    number('energy', 'energy', 'kWh', () => job('energy'), short),
    number('cost', 'cost', currency, () => job('cost'), short),
    number('carbon', 'carbon', 'kg', () => job('carbon'), short),
    report.hasJob(run, 'tardiness') && number('tardiness', 'tardiness', '', () => job('tardiness'), duration, '6.2rem'),
    number('restarts', 'restarts', 'times', () => job('restarts'), (v) => fixed(v, 0), '4.8rem'),
    info.sites.length > 1 && { id: 'site', head: 'site', width: '6rem', text: true, cell: (r: number) => info.sites[job('site')[r]]?.name ?? '–', keys: () => job('site'), plain: (r: number) => info.sites[job('site')[r]]?.name },
  ];
  return columns.filter((c): c is JobColumn => c !== false);
}
