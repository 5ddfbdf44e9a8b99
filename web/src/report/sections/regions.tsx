import { useMemo, useState } from 'preact/hooks';
import { Choose } from '../../parts/controls';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { Heat } from '../../parts/heat';
import { colour } from '../../parts/palette';
import { type Ribbon, Ribbons } from '../../parts/ribbons';
import { useStore } from '../../parts/store';
import { shown } from '../../parts/theme';
import { fixed, short } from '../../parts/units';
import type { Flow } from '../data/head';
import { byHour, quantity } from '../data/over-time';
import { originOf, type Report } from '../data/report';
import type { Shared } from '../shared';

type What = 'share' | 'busy' | 'work' | 'price' | 'carbon';
type Count = 'jobs' | 'gpu_hours' | 'gb';

const hours = Array.from({ length: 24 }, (_, h) => String(h).padStart(2, '0'));
const mostFlows = 12;

/// Where and at which hour work was done, and what went from site to site.
export function Regions({ shared, report }: { shared: Shared; report: Report }) {
  const many = report.head.runs.map((_, i) => i).filter((i) => report.head.runs[i].sites.length > 1);
  const [run, setRun] = useState(many[0]);
  return (
    <>
      <div class="controls">
        <Choose label="Run" value={String(run)} options={many.slice(0, 500).map((i) => ({ value: String(i), text: shared.label(i) }))} onChange={(v) => setRun(Number(v))} />
      </div>
      <div class="figures">
        <Hours shared={shared} report={report} run={run} />
        <Flows shared={shared} report={report} run={run} />
      </div>
    </>
  );
}

function Hours({ shared, report, run }: { shared: Shared; report: Report; run: number }) {
  const theme = useStore(shown);
  const [what, setWhat] = useState<What>('share');
  const [most, setMost] = useState(20);
  const { sites } = report.head.runs[run];
  const found = useMemo(() => {
    const origin = originOf(report.head.runs[run]);
    const name = what === 'price' || what === 'carbon' ? what : 'busy';
    const picked = sites.map((_, i) => i).sort((a, b) => (sites[b].gpus ?? 0) - (sites[a].gpus ?? 0) || a - b).slice(0, most).sort((a, b) => a - b);
    const values = picked.map((i) => byHour(quantity(report, run, name, i), origin));
    const all = what === 'work' ? byHour(quantity(report, run, 'busy', null), origin) : null;
    values.forEach((row, k) => {
      for (let h = 0; h < 24; ++h) row[h] /= what === 'share' ? sites[picked[k]].gpus || NaN : all ? all[h] || NaN : 1;
    });
    return { values, names: picked.map((i) => sites[i].name) };
  }, [report, run, what, most, theme]);
  const percent = what === 'share' || what === 'work';
  const unit = { share: '% of its GPUs', busy: 'GPUs', work: '% of all busy GPUs', price: `${shared.currency(run)}/kWh`, carbon: 'g/kWh' }[what];
  const empty = found.values.every((r) => r.every(Number.isNaN));
  return (
    <Figure
      title="Sites by hour of day"
      unit={`${unit}, hours in UTC`}
      noPng={empty}
      csv={() => csv(['site', ...hours], found.names.map((n, i) => [n, ...found.values[i]]))}
      caption={sites.length > most ? `The ${most} largest of ${sites.length} sites.` : undefined}
    >
      <div class="controls noprint">
        <Choose
          label="Shown"
          value={what}
          options={[{ value: 'share', text: 'busy GPUs, of the site’s own' }, { value: 'busy', text: 'busy GPUs' }, { value: 'work', text: 'share of all work' }, { value: 'price', text: 'price' }, { value: 'carbon', text: 'carbon intensity' }]}
          onChange={(v) => setWhat(v as What)}
        />
        {sites.length > 20 && <Choose label="Sites" value={String(most)} options={[20, 50, 200].map((n) => ({ value: String(n), text: `the ${n} largest` }))} onChange={(v) => setMost(Number(v))} />}
      </div>
      {empty ? (
        <p class="empty">There is no timeline of this run.</p>
      ) : (
        <Heat label={`Sites by hour of day: ${unit}`} rows={found.names} columns={hours} values={found.values} factor={percent ? 0.01 : 1} say={(v) => (percent ? `${fixed(v * 100, 1)} %` : short(v))} />
      )}
    </Figure>
  );
}

function Flows({ shared, report, run }: { shared: Shared; report: Report; run: number }) {
  const theme = useStore(shown);
  const [count, setCount] = useState<Count>('jobs');
  const { flows } = report.head.runs[run];
  const of = (f: Flow) => f[count] ?? 0;
  const units = { jobs: 'jobs', gpu_hours: 'GPU hours', gb: 'GB' };
  const found = useMemo(() => folded(flows, of), [flows, count]);
  const colours = useMemo(() => found.names.map((_, i) => colour(i)), [found, theme]);
  const title = 'From home to where jobs ran';
  const rows = () => csv(['home', 'site', 'jobs', 'gpu_hours', 'gb'], flows.map((f) => [f.from, f.to, f.jobs, f.gpu_hours, f.gb]));
  const stayed = flows.filter((f) => f.from === f.to).reduce((s, f) => s + f.jobs, 0);
  const all = flows.reduce((s, f) => s + f.jobs, 0);
  return (
    <Figure title={title} unit={units[count]} csv={rows} noPng={found.ribbons.length === 0} caption={all > 0 ? `${fixed((stayed / all) * 100, 1)} % of the jobs ran where their files were.` : undefined}>
      <div class="controls noprint">
        <Choose label="Counted in" value={count} options={[{ value: 'jobs', text: 'jobs' }, { value: 'gpu_hours', text: 'GPU hours' }, { value: 'gb', text: 'GB sent' }]} onChange={(v) => setCount(v as Count)} />
      </div>
      {found.ribbons.length === 0 ? (
        <p class="empty">{flows.length === 0 ? 'No job of this run says where its home is.' : 'Nothing of that went between sites.'}</p>
      ) : (
        <Ribbons label={`${title}, under ${shared.label(run)}`} left={found.names} right={found.names} heads={['home', 'ran at']} ribbons={found.ribbons} colours={colours} say={(v) => `${short(v)} ${units[count]}`} />
      )}
    </Figure>
  );
}

/// Flows between the sites with most of them; all other sites are one.
function folded(flows: Flow[], of: (f: Flow) => number): { names: string[]; ribbons: Ribbon[] } {
  const size = new Map<string, number>();
  for (const f of flows) for (const name of [f.from, f.to]) size.set(name, (size.get(name) ?? 0) + of(f));
  const sorted = [...size.keys()].sort((a, b) => size.get(b)! - size.get(a)!);
  const names = sorted.length > mostFlows ? [...sorted.slice(0, mostFlows - 1), `${sorted.length - mostFlows + 1} other sites`] : sorted;
  const at = (name: string) => Math.min(names.length - 1, sorted.indexOf(name));
  const sums = new Map<number, Ribbon>();
  for (const f of flows) {
    const key = at(f.from) * names.length + at(f.to);
    const ribbon = sums.get(key) ?? { from: at(f.from), to: at(f.to), value: 0 };
    ribbon.value += of(f);
    sums.set(key, ribbon);
  }
  return { names, ribbons: [...sums.values()].filter((r) => r.value > 0) };
}
