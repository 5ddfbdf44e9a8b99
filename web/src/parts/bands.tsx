import { useCallback } from 'preact/hooks';
import { CanvasChart, type Pen } from './canvas';
import { font } from './picture';
import { fitted } from './plane';
import { gutter, rightRoom } from './series';
import { moment, timeTicks } from './ticks';
import type { TimeLink } from './time-link';
import { TipLines } from './tip';

interface Props {
  label: string;
  /// When each band begins, rising, and which of `names` it is.
  time: Float64Array;
  what: ArrayLike<number>;
  /// When the last band ends.
  end: number;
  names: string[];
  colours: string[];
  link: TimeLink;
}

const rowHeight = 16;

/// What held when: one row per name, a bar while it held, on the shared time axis.
export function Bands({ label, time, what, end: last, names, colours, link }: Props) {
  const height = names.length * rowHeight + 22;
  const draw = useCallback(
    ({ ctx, width, colours: look }: Pen) => {
      const { from, to } = link.seen.get();
      const wide = width - gutter - rightRoom;
      const x = (t: number) => gutter + ((Math.min(Math.max(t, from), to) - from) / (to - from)) * wide;
      ctx.fillStyle = look.faint;
      ctx.fillRect(gutter, 0, wide, names.length * rowHeight);
      for (let i = 0; i < time.length; ++i) {
        const end = time[i + 1] ?? last;
        if (end < from || time[i] > to) continue;
        ctx.fillStyle = colours[what[i]];
        ctx.fillRect(x(time[i]), what[i] * rowHeight + 1, Math.max(1, x(end) - x(time[i])), rowHeight - 2);
      }
      ctx.font = font(11);
      ctx.textAlign = 'center';
      ctx.fillStyle = look.muted;
      const ticks = timeTicks(from, to, Math.max(2, wide / 85), link.origin);
      ticks.at.forEach((t, i) => x(t) > gutter + 10 && x(t) < width - 18 && ctx.fillText(ticks.text[i], x(t), names.length * rowHeight + 12));
      ctx.textAlign = 'right';
      names.forEach((_, i) => ctx.fillText(fitted(ctx, String(i + 1), gutter - 8), gutter - 6, (i + 0.5) * rowHeight));
    },
    [time, what, last, names, colours, link],
  );
  const tip = (px: number, py: number, width: number) => {
    const { from, to } = link.seen.get();
    const t = from + ((px - gutter) / (width - gutter - rightRoom)) * (to - from);
    if (px < gutter || py > names.length * rowHeight) return null;
    let i = -1;
    while (i + 1 < time.length && time[i + 1] <= t) ++i;
    return i < 0 || t > last ? null : <TipLines title={names[what[i]]} lines={[{ name: 'since', value: moment(time[i], link.origin) }]} />;
  };
  return <CanvasChart height={height} label={label} draw={draw} tip={tip} watch={[link.seen as never]} />;
}
