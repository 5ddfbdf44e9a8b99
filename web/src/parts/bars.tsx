import { useCallback } from 'preact/hooks';
import { CanvasChart, type Pen } from './canvas';
import { font } from './picture';
import { Axis, fitted, stroke } from './plane';
import { linearTicks } from './ticks';
import { TipLines } from './tip';
import { plain } from './units';

export interface Bar {
  label: string;
  value: number;
  colour: string;
  /// Said beside the pointer.
  lines: { name: string; value: string }[];
}

const rowHeight = 22;
const leftOf = (width: number) => Math.min(190, width * 0.4);

/// Bars from 0, one below the other; `say` writes their ends and `factor` the axis.
export function Bars({ label, bars, factor = 1, say }: { label: string; bars: Bar[]; factor?: number; say: (value: number) => string }) {
  const height = bars.length * rowHeight + 24;
  const draw = useCallback(
    ({ ctx, width, colours }: Pen) => {
      const left = leftOf(width);
      const most = Math.max(1e-12, ...bars.map((b) => b.value));
      const least = Math.min(0, ...bars.map((b) => b.value));
      const x = new Axis(least, most, left, width - 58);
      ctx.font = font(11);
      ctx.strokeStyle = colours.line;
      ctx.fillStyle = colours.muted;
      ctx.textAlign = 'center';
      for (const t of linearTicks(least / factor, most / factor, Math.max(2, (width - left) / 80))) {
        const at = Math.round(x.pixel(t * factor)) + 0.5;
        stroke(ctx, at, 0, at, bars.length * rowHeight);
        ctx.fillText(plain(t), at, bars.length * rowHeight + 12);
      }
      bars.forEach((b, i) => {
        const y = i * rowHeight;
        ctx.textAlign = 'right';
        ctx.fillStyle = colours.text;
        ctx.fillText(fitted(ctx, b.label, left - 10), left - 8, y + rowHeight / 2);
        ctx.fillStyle = b.colour;
        ctx.fillRect(Math.min(x.pixel(0), x.pixel(b.value)), y + 4, Math.max(1, Math.abs(x.pixel(b.value) - x.pixel(0))), rowHeight - 8);
        ctx.textAlign = 'left';
        ctx.fillStyle = colours.text;
        ctx.fillText(say(b.value), Math.max(x.pixel(b.value), x.pixel(0)) + 5, y + rowHeight / 2);
      });
    },
    [bars, factor],
  );
  const tip = (_: number, y: number) => {
    const bar = bars[Math.floor(y / rowHeight)];
    return bar ? <TipLines title={bar.label} lines={bar.lines} /> : null;
  };
  return <CanvasChart height={height} label={label} draw={draw} tip={tip} />;
}
