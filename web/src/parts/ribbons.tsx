import { useCallback, useMemo } from 'preact/hooks';
import { CanvasChart, type Pen } from './canvas';
import { font } from './picture';
import { fitted } from './plane';
import { TipLines } from './tip';

export interface Ribbon {
  from: number;
  to: number;
  value: number;
}

interface Props {
  label: string;
  left: string[];
  right: string[];
  heads: [string, string];
  ribbons: Ribbon[];
  colours: string[];
  say: (value: number) => string;
}

interface Placed extends Ribbon {
  y0: number;
  y1: number;
  h: number;
}

const gap = 8;
const head = 20;
const side = 118;
const bar = 10;

/// What goes from where to where: ribbons between two columns, as thick as there is much of it.
export function Ribbons({ label, left, right, heads, ribbons, colours, say }: Props) {
  const height = head + Math.max(160, Math.max(left.length, right.length) * 34);
  const placed = useMemo(() => place(left.length, right.length, ribbons, height - head), [left, right, ribbons, height]);
  const edges = (width: number) => {
    const room = Math.min(side, width * 0.27);
    return { room, x0: room + bar, x1: width - room - bar };
  };
  const draw = useCallback(
    (pen: Pen) => {
      const { ctx, width, colours: look } = pen;
      const { room, x0, x1 } = edges(width);
      for (const r of placed.ribbons) {
        ctx.fillStyle = colours[r.from];
        ctx.globalAlpha = 0.45;
        ctx.fill(shape(r, x0, x1));
      }
      ctx.globalAlpha = 1;
      ctx.font = font(11);
      const column = (names: string[], spans: { y: number; h: number }[], x: number, textX: number, align: CanvasTextAlign) =>
        names.forEach((name, i) => {
          if (spans[i].h <= 0) return;
          ctx.fillStyle = colours[i];
          ctx.fillRect(x, head + spans[i].y, bar, Math.max(1, spans[i].h));
          ctx.fillStyle = look.text;
          ctx.textAlign = align;
          ctx.fillText(fitted(ctx, name, room - 6), textX, head + spans[i].y + spans[i].h / 2);
        });
      column(left, placed.left, x0 - bar, room - 5, 'right');
      column(right, placed.right, x1, x1 + bar + 5, 'left');
      ctx.fillStyle = look.muted;
      ctx.textAlign = 'right';
      ctx.fillText(heads[0], x0, 8);
      ctx.textAlign = 'left';
      ctx.fillText(heads[1], x1, 8);
    },
    [placed, colours, left, right],
  );
  const tip = (x: number, y: number, width: number) => {
    const { x0, x1 } = edges(width);
    const ctx = document.createElement('canvas').getContext('2d')!;
    const hit = [...placed.ribbons].reverse().find((r) => ctx.isPointInPath(shape(r, x0, x1), x, y));
    return hit ? <TipLines title={`${left[hit.from]} → ${right[hit.to]}`} lines={[{ name: '', value: say(hit.value) }]} /> : null;
  };
  return <CanvasChart height={height} label={label} draw={draw} tip={tip} />;
}

function shape(r: Placed, x0: number, x1: number): Path2D {
  const mid = (x0 + x1) / 2;
  const p = new Path2D();
  p.moveTo(x0, head + r.y0);
  p.bezierCurveTo(mid, head + r.y0, mid, head + r.y1, x1, head + r.y1);
  p.lineTo(x1, head + r.y1 + r.h);
  p.bezierCurveTo(mid, head + r.y1 + r.h, mid, head + r.y0 + r.h, x0, head + r.y0 + r.h);
  p.closePath();
  return p;
}

function place(lefts: number, rights: number, ribbons: Ribbon[], height: number) {
  const total = ribbons.reduce((s, r) => s + r.value, 0) || 1;
  const per = (height - gap * (Math.max(lefts, rights) - 1)) / total;
  const stack = (n: number, of: (r: Ribbon) => number) => {
    let y = 0;
    return Array.from({ length: n }, (_, i) => {
      const h = ribbons.filter((r) => of(r) === i).reduce((s, r) => s + r.value, 0) * per;
      const span = { y, h };
      if (h > 0) y += h + gap;
      return span;
    });
  };
  const left = stack(lefts, (r) => r.from);
  const right = stack(rights, (r) => r.to);
  const nextLeft = left.map((s) => s.y);
  const nextRight = right.map((s) => s.y);
  const sorted = [...ribbons].sort((a, b) => a.from - b.from || a.to - b.to);
  const placed = sorted.map((r) => {
    const h = r.value * per;
    const at = { ...r, h, y0: nextLeft[r.from], y1: nextRight[r.to] };
    nextLeft[r.from] += h;
    nextRight[r.to] += h;
    return at;
  });
  return { left, right, ribbons: placed };
}
