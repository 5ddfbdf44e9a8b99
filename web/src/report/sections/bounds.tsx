import { useMemo } from 'preact/hooks';
import { type Bar, Bars } from '../../parts/bars';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { useStore } from '../../parts/store';
import { shown } from '../../parts/theme';
import { fixed, withUnit } from '../../parts/units';
import type { Head } from '../data/head';
import { measure, spelled, value } from '../data/measures';
import { look, type Shared } from '../shared';

const kinds = [
  { gap: 'gap_jct', bound: 'bound_jct_mean_s', own: 'jct_mean_s', title: 'Mean completion time above its bound' },
  { gap: 'gap_energy', bound: 'bound_energy_kwh', own: 'energy_kwh', title: 'Energy above its bound' },
  { gap: 'gap_cost', bound: 'bound_total_cost', own: 'total_cost', title: 'Total cost above its bound' },
  { gap: 'gap_carbon', bound: 'bound_carbon_kg', own: 'carbon_kg', title: 'Carbon above its bound' },
];

export function hasBounds(head: Head): boolean {
  return head.runs.some((r) => kinds.some((k) => !Number.isNaN(value(r, k.gap))));
}

/// How far each run is from what no policy could go below.
export function Bounds({ shared }: { shared: Shared }) {
  useStore(shared.fold);
  const runs = shared.charted();
  const present = kinds.filter((k) => runs.some((r) => !Number.isNaN(value(shared.head.runs[r], k.gap))));
  return (
    <div class="figures">
      {present.map((kind) => (
        <Gap shared={shared} runs={runs} kind={kind} key={kind.gap} />
      ))}
    </div>
  );
}

function Gap({ shared, runs, kind }: { shared: Shared; runs: number[]; kind: (typeof kinds)[number] }) {
  const theme = useStore(shown);
  const { head } = shared;
  const of = (run: number, name: string) => value(head.runs[run], name);
  const say = (run: number, name: string) => withUnit(of(run, name), spelled(measure(name, head.inputs).unit, shared.currency()));
  const bars = useMemo<Bar[]>(
    () =>
      runs
        .map((run, i) => ({ run, i }))
        .filter(({ run }) => !Number.isNaN(of(run, kind.gap)))
        .map(({ run, i }) => ({ label: shared.label(run), value: of(run, kind.gap), colour: look(i).colour, lines: [{ name: 'reached', value: say(run, kind.own) }, { name: 'bound', value: say(run, kind.bound) }] })),
    [runs.join(), kind, theme],
  );
  return (
    <Figure title={kind.title} unit="%" csv={() => csv(['policy', kind.own, kind.bound, kind.gap], runs.map((r) => [shared.label(r), of(r, kind.own), of(r, kind.bound), of(r, kind.gap)]))}>
      <Bars label={`${kind.title}, one bar per run`} bars={bars} factor={0.01} say={(v) => `+${fixed(v * 100, 1)} %`} />
    </Figure>
  );
}
