import { useCallback } from 'preact/hooks';
import { CanvasChart, type Pen } from './canvas';
import { css, ramp } from './palette';
import { font } from './picture';
import { fitted } from './plane';
import { TipLines } from './tip';
import { short } from './units';

interface Props {
  label: string;
  rows: string[];
  columns: string[];
  /// Row by row; NaN where nothing is known.
  values: Float64Array[];
  say: (value: number) => string;
  /// Values ÷ factor are written at the scale.
  factor?: number;
}

const cellHeight = 20;
const bottom = 54;
const leftOf = (width: number) => Math.min(130, width * 0.28);

/// A table of colours, with the scale below it.
export function Heat({ label, rows, columns, values, say, factor = 1 }: Props) {
  const known = values.flatMap((r) => Array.from(r)).filter((v) => !Number.isNaN(v));
  const least = known.length ? known.reduce((a, b) => Math.min(a, b)) : 0;
  const most = known.length ? known.reduce((a, b) => Math.max(a, b)) : 1;
  const height = rows.length * cellHeight + bottom;
  const draw = useCallback(
    (pen: Pen) => {
      const { ctx, width, colours } = pen;
      const left = leftOf(width);
      const w = (width - left) / columns.length;
      ctx.font = font(11);
      rows.forEach((name, r) => {
        ctx.fillStyle = colours.muted;
        ctx.textAlign = 'right';
        ctx.fillText(fitted(ctx, name, left - 8), left - 6, (r + 0.5) * cellHeight);
        values[r].forEach((v, c) => {
          ctx.fillStyle = Number.isNaN(v) ? colours.faint : css(ramp((v - least) / (most - least || 1)));
          ctx.fillRect(left + c * w, r * cellHeight, Math.ceil(w) - 1, cellHeight - 1);
        });
      });
      ctx.fillStyle = colours.muted;
      ctx.textAlign = 'center';
      const every = [1, 2, 3, 6, 12].find((n) => n * w > 24) ?? columns.length;
      columns.forEach((name, c) => c % every === 0 && ctx.fillText(name, left + (c + 0.5) * w, rows.length * cellHeight + 10));
      drawScale(pen, left, rows.length * cellHeight + 28, least / factor, most / factor);
    },
    [rows, columns, values, factor],
  );
  const tip = (x: number, y: number, width: number) => {
    const left = leftOf(width);
    const c = Math.floor(((x - left) / (width - left)) * columns.length);
    const r = Math.floor(y / cellHeight);
    if (!rows[r] || !columns[c] || x < left) return null;
    return <TipLines title={rows[r]} lines={[{ name: columns[c], value: say(values[r][c]) }]} />;
  };
  return <CanvasChart height={height} label={label} draw={draw} tip={tip} />;
}

function drawScale({ ctx, width, colours }: Pen, left: number, y: number, least: number, most: number): void {
  const wide = Math.min(220, width - left);
  for (let i = 0; i < wide; ++i) {
    ctx.fillStyle = css(ramp(i / (wide - 1)));
    ctx.fillRect(left + i, y, 1, 8);
  }
  ctx.fillStyle = colours.muted;
  ctx.textAlign = 'left';
  ctx.fillText(short(least), left, y + 17);
  ctx.textAlign = 'right';
  ctx.fillText(short(most), left + wide, y + 17);
}
