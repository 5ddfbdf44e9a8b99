import { useCallback } from 'preact/hooks';
import { CanvasChart, type Pen } from './canvas';
import { Axis, drawAxes, padded } from './plane';

interface Props {
  label: string;
  x: Float64Array;
  y: Float64Array;
  names: { x: string; y: string };
  colour: string;
  /// What to say about the point nearest to the pointer.
  say: (i: number) => preact.ComponentChildren;
  onPick?: (i: number) => void;
  height?: number;
}

const left = 52;
const top = 26;
const bottom = 34;

/// Any number of points above 0 on two logarithmic axes that are the same, and the line on which both agree.
export function Cloud({ label, x, y, names, colour, say, onPick, height = 320 }: Props) {
  const range = () => {
    let least = Infinity;
    let most = 0;
    for (const values of [x, y])
      for (const v of values)
        if (v > 0) {
          least = Math.min(least, v);
          most = Math.max(most, v);
        }
    return padded(least, most, true);
  };
  const axes = (width: number) => {
    const [low, high] = range();
    return [new Axis(low, high, left, width - 10, true), new Axis(low, high, height - bottom, top, true)] as const;
  };
  const draw = useCallback(
    (pen: Pen) => {
      const [ax, ay] = axes(pen.width);
      drawAxes(pen, ax, ay, names);
      const { ctx, colours } = pen;
      ctx.fillStyle = colour;
      const size = x.length > 5000 ? 1.5 : 3;
      ctx.globalAlpha = x.length > 20000 ? 0.25 : x.length > 2000 ? 0.4 : 0.7;
      for (let i = 0; i < x.length; ++i) if (x[i] > 0 && y[i] > 0) ctx.fillRect(ax.pixel(x[i]) - size / 2, ay.pixel(y[i]) - size / 2, size, size);
      ctx.globalAlpha = 1;
      ctx.strokeStyle = colours.text;
      ctx.lineWidth = 1;
      ctx.setLineDash([4, 3]);
      ctx.beginPath();
      ctx.moveTo(ax.begin, ay.begin);
      ctx.lineTo(ax.end, ay.end);
      ctx.stroke();
      ctx.setLineDash([]);
    },
    [x, y, names, colour, height],
  );
  const nearest = (px: number, py: number, width: number) => {
    const [ax, ay] = axes(width);
    let best = -1;
    let far = 12 * 12;
    for (let i = 0; i < x.length; ++i) {
      const dx = ax.pixel(x[i]) - px;
      const dy = ay.pixel(y[i]) - py;
      if (dx * dx + dy * dy < far) {
        far = dx * dx + dy * dy;
        best = i;
      }
    }
    return best;
  };
  return (
    <CanvasChart
      height={height}
      label={label}
      draw={draw}
      tip={(px, py, w) => {
        const i = nearest(px, py, w);
        return i < 0 ? null : say(i);
      }}
      onPick={
        onPick &&
        ((px, py, w) => {
          const i = nearest(px, py, w);
          if (i >= 0) onPick(i);
        })
      }
    />
  );
}
