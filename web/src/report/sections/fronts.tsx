import { useMemo } from 'preact/hooks';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { type Dot, Scatter } from '../../parts/scatter';
import { useStore } from '../../parts/store';
import { shown, tokens } from '../../parts/theme';
import { scaleFor, withUnit } from '../../parts/units';
import { front } from '../data/front';
import { measure, spelled, value } from '../data/measures';
import { look, type Shared } from '../shared';

/// Which runs no other beats in both of two measures.
export function Fronts({ shared }: { shared: Shared }) {
  const pairs = shared.head.pareto;
  useStore(shared.fold);
  if (pairs.length === 0) return <p class="empty">The report names no pair of measures to weigh against each other.</p>;
  return (
    <div class="figures three">
      {pairs.map((pair) => (
        <Front shared={shared} pair={pair} key={`${pair.x} ${pair.y}`} />
      ))}
    </div>
  );
}

function Front({ shared, pair }: { shared: Shared; pair: { x: string; y: string } }) {
  const theme = useStore(shown);
  const { runs, inputs } = shared.head;
  const mx = measure(pair.x, inputs);
  const my = measure(pair.y, inputs);
  const charted = shared.charted();
  const found = useMemo(() => {
    const all = runs.map((r, run) => ({ run, x: value(r, pair.x), y: value(r, pair.y) })).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
    const place = new Map(charted.map((run, i) => [run, i]));
    const grey = tokens().muted;
    const on = front(all, mx.better === 'higher' ? -1 : 1, my.better === 'higher' ? -1 : 1);
    const dots: Dot[] = all.map((p, i) => ({ x: p.x, y: p.y, label: runs[p.run].label, faded: !on[i], ...(place.has(p.run) ? look(place.get(p.run)!) : { ...look(0), colour: grey }) }));
    const path = all.map((_, i) => i).filter((i) => on[i]).sort((a, b) => all[a].x - all[b].x || all[a].y - all[b].y);
    return { dots, path, on };
  }, [pair.x, pair.y, theme, charted.join()]);
  const title = `${capital(mx.head)} and ${my.head}`;
  if (found.dots.length === 0) return <Figure title={title} noPng><p class="empty">No run has both measures.</p></Figure>;
  const same = [mx, my].filter((_, k) => found.dots.length > 1 && found.dots.every((d) => (k ? d.y === found.dots[0].y : d.x === found.dots[0].x)));
  if (same.length > 0) return <Figure title={title} noPng><p class="empty">Every run has the same {same.map((m) => m.head).join(' and ')}: there is nothing to weigh.</p></Figure>;
  const axis = (m: typeof mx, values: number[]) => {
    const scale = scaleFor(m.unit, Math.max(...values.map(Math.abs)));
    const unit = spelled(scale.unit, shared.currency());
    return { name: unit ? `${m.head}, ${unit}` : m.head, factor: scale.factor, say: (v: number) => withUnit(v, spelled(m.unit, shared.currency())) };
  };
  const { dots, path, on } = found;
  return (
    <Figure
      title={title}
      csv={() => csv(['policy', pair.x, pair.y, 'on_front'], dots.map((d, i) => [d.label, d.x, d.y, on[i] ? 1 : 0]))}
      caption={dots.length === 1 ? 'One run only, so nothing beats it.' : `${path.length} of ${dots.length} runs are beaten by no other in both; the others are lighter.`}
    >
      <Scatter label={`${title}: one point per run`} dots={dots} path={path} x={axis(mx, dots.map((d) => d.x))} y={axis(my, dots.map((d) => d.y))} />
    </Figure>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
