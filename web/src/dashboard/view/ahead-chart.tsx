import { useMemo } from 'preact/hooks';
import { csv } from '../../parts/csv';
import { Figure } from '../../parts/figure';
import { colour } from '../../parts/palette';
import { SeriesChart } from '../../parts/series';
import { useStore } from '../../parts/store';
import { shown } from '../../parts/theme';
import { timeTicks } from '../../parts/ticks';
import { TimeLink } from '../../parts/time-link';
import { short } from '../../parts/units';
import type { AheadStep } from '../live/api-types';
import { courseKey, courseOf, hoursAhead } from './ahead';
import { clock } from './times';

interface Props {
  site: string;
  title: string;
  unit: string;
  now: number;
  value: number;
  steps: readonly AheadStep[];
  of: 'price' | 'carbon_g_per_kwh';
  index: number;
  until: string | null;
}

/// Times below the chart; none so near its right edge that it would be cut.
const ticksOf = (origin: number) => (from: number, to: number, count: number) => {
  const { at, text } = timeTicks(from, to, count, origin);
  const last = from + (to - from) * 0.96;
  return { at: at.filter((t) => t <= last), text: text.filter((_, i) => at[i] <= last) };
};

/// What is foretold of a price or of carbon, with what it is now.
export function AheadChart({ site, title, unit, now, value, steps, of, index, until }: Props) {
  const theme = useStore(shown);
  const course = courseOf(steps, of);
  const key = courseKey(course);
  const kept = useMemo(() => course && { ...course, link: new TimeLink({ from: 0, to: hoursAhead * 3600 }, course.origin) }, [key]);
  const lines = useMemo(() => (kept ? [{ label: title, colour: colour(index), y: kept.y, step: true, width: 2 }] : []), [kept, theme]);
  if (!kept) return <p class="empty">{title}: nothing is foretold.</p>;
  const flat = kept.low.value === kept.high.value;
  const table = () => csv(['from', of], kept.x.slice(0, -1).map((s, i) => [new Date(kept.origin + s * 1000).toISOString(), kept.y[i]]));
  return (
    <Figure
      title={`${title}: ${short(value)}`}
      unit={unit}
      csv={table}
      caption={
        <>
          {flat ? 'The same for the next two days.' : `Lowest ${short(kept.low.value)} at ${clock(kept.low.when, now)}, highest ${short(kept.high.value)} at ${clock(kept.high.when, now)} UTC.`}
          {until && ` Foretold until ${clock(Date.parse(until), now)}; then as the last known day.`}
        </>
      }
    >
      <SeriesChart label={`${title} at ${site} in the next ${hoursAhead} hours, in ${unit}`} height={128} x={kept.x} lines={lines} link={kept.link} xTicks={ticksOf(kept.origin)} />
    </Figure>
  );
}
