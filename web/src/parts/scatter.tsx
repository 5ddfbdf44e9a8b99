import { useCallback } from 'preact/hooks';
import { CanvasChart, type Pen } from './canvas';
import { placeLabels } from './labels';
import { drawShape } from './marks';
import type { Shape } from './palette';
import { font } from './picture';
import { Axis, drawAxes, fitted, padded } from './plane';
import { TipLines } from './tip';

export interface Dot {
  x: number;
  y: number;
  label: string;
  colour: string;
  shape: Shape;
  /// Drawn lightly, as what others beat.
  faded?: boolean;
}

interface AxisSpec {
  name: string;
  factor: number;
  say: (value: number) => string;
}

interface Props {
  label: string;
  dots: Dot[];
  x: AxisSpec;
  y: AxisSpec;
  /// Indices of dots joined by a line.
  path?: number[];
  height?: number;
}

const left = 52;
const top = 26;
const bottom = 34;

/// A few labelled points on two linear axes.
export function Scatter({ label, dots, x: xs, y: ys, path = [], height = 300 }: Props) {
  const axes = (width: number) => {
    const [x0, x1] = padded(Math.min(...dots.map((d) => d.x)), Math.max(...dots.map((d) => d.x)));
    const [y0, y1] = padded(Math.min(...dots.map((d) => d.y)), Math.max(...dots.map((d) => d.y)));
    return [new Axis(x0, x1, left, width - 10), new Axis(y0, y1, height - bottom, top)] as const;
  };
  const draw = useCallback(
    (pen: Pen) => {
      const [x, y] = axes(pen.width);
      drawAxes(pen, x, y, { x: xs.name, y: ys.name, xFactor: xs.factor, yFactor: ys.factor });
      const { ctx, colours } = pen;
      ctx.strokeStyle = colours.muted;
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      path.forEach((i, n) => (n ? ctx.lineTo(x.pixel(dots[i].x), y.pixel(dots[i].y)) : ctx.moveTo(x.pixel(dots[i].x), y.pixel(dots[i].y))));
      ctx.stroke();
      const order = dots.map((_, i) => i).sort((a, b) => Number(dots[b].faded ?? false) - Number(dots[a].faded ?? false));
      for (const i of order) {
        const { x: dx, y: dy, colour, shape, faded } = dots[i];
        const outline = new Path2D(drawShape(shape, x.pixel(dx), y.pixel(dy), faded ? 3.5 : 5));
        ctx.globalAlpha = faded ? 0.5 : 1;
        ctx.fillStyle = colour;
        ctx.fill(outline);
        ctx.globalAlpha = 1;
      }
      ctx.font = font(11);
      ctx.textAlign = 'left';
      const first = order.reverse().filter((i) => dots.length <= 40 || !dots[i].faded).slice(0, 40);
      const texts = first.map((i) => fitted(ctx, dots[i].label, 150));
      const spots = placeLabels(
        first.map((i, n) => ({ x: x.pixel(dots[i].x), y: y.pixel(dots[i].y), w: ctx.measureText(texts[n]).width })),
        { x: left + 2, y: top - 8, w: pen.width - left - 2, h: height - top - bottom + 8 },
      );
      spots.forEach((spot, n) => {
        if (!spot) return;
        ctx.strokeStyle = colours.ground;
        ctx.lineWidth = 3;
        ctx.lineJoin = 'round';
        ctx.strokeText(texts[n], spot.x, spot.y);
        ctx.fillStyle = dots[first[n]].faded ? colours.muted : colours.text;
        ctx.fillText(texts[n], spot.x, spot.y);
      });
    },
    [dots, xs, ys, path, height],
  );
  const tip = (px: number, py: number, width: number) => {
    const [x, y] = axes(width);
    const far = dots.map((d) => Math.hypot(x.pixel(d.x) - px, y.pixel(d.y) - py));
    const nearest = far.indexOf(Math.min(...far));
    if (!(far[nearest] < 18)) return null;
    const d = dots[nearest];
    return <TipLines title={d.label} lines={[{ name: xs.name, value: xs.say(d.x) }, { name: ys.name, value: ys.say(d.y) }]} />;
  };
  return <CanvasChart height={height} label={label} draw={draw} tip={tip} />;
}
