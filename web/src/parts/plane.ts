import type { Pen } from './canvas';
import { font } from './picture';
import { linearTicks, logTicks, type Ticks } from './ticks';
import { plain } from './units';

/// One axis: values from…to on pixels begin…end, linear or logarithmic.
export class Axis {
  private readonly low: number;
  private readonly per: number;
  constructor(
    readonly from: number,
    readonly to: number,
    readonly begin: number,
    readonly end: number,
    readonly log = false,
  ) {
    this.low = log ? Math.log(from) : from;
    const high = log ? Math.log(to) : to;
    this.per = (end - begin) / (high - this.low || 1);
  }
  pixel(value: number): number {
    return this.begin + ((this.log ? Math.log(value) : value) - this.low) * this.per;
  }
  value(pixel: number): number {
    const v = this.low + (pixel - this.begin) / this.per;
    return this.log ? Math.exp(v) : v;
  }
  ticks(count: number, factor = 1): Ticks {
    const scaled = this.log ? logTicks(this.from / factor, this.to / factor, count) : linearTicks(this.from / factor, this.to / factor, count);
    return { at: scaled.map((t) => t * factor), text: scaled.map(plain) };
  }
}

/// A little room around [least, most]; a part of it below 0 only where values are.
export function padded(least: number, most: number, log = false): [number, number] {
  if (log) {
    const room = Math.max(1.15, (most / least) ** 0.06);
    return [least / room, most * room];
  }
  const room = (most - least || Math.abs(most) || 1) * 0.08;
  return [least >= 0 ? Math.max(0, least - room) : least - room, most + room];
}

/// The lines and numbers of both axes, with what they measure at their ends.
export function drawAxes(pen: Pen, x: Axis, y: Axis, names: { x: string; y: string; xFactor?: number; yFactor?: number }): void {
  const { ctx, colours } = pen;
  ctx.font = font(11);
  ctx.lineWidth = 1;
  ctx.strokeStyle = colours.line;
  ctx.fillStyle = colours.muted;
  const tall = y.begin - y.end;
  const wide = x.end - x.begin;
  ctx.textAlign = 'right';
  const ys = y.ticks(Math.max(2, tall / 42), names.yFactor);
  ys.at.forEach((v, i) => {
    const at = Math.round(y.pixel(v)) + 0.5;
    stroke(ctx, x.begin, at, x.end, at);
    ctx.fillText(ys.text[i], x.begin - 6, at);
  });
  ctx.textAlign = 'center';
  const xs = x.ticks(Math.max(2, wide / 70), names.xFactor);
  xs.at.forEach((v, i) => {
    const at = Math.round(x.pixel(v)) + 0.5;
    stroke(ctx, at, y.end, at, y.begin);
    ctx.fillText(xs.text[i], at, y.begin + 11);
  });
  ctx.textAlign = 'right';
  ctx.fillText(names.x, x.end, y.begin + 26);
  ctx.textAlign = 'left';
  ctx.fillText(names.y, 0, y.end - 12);
}

export function stroke(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

/// `text`, cut with … to at most `width` pixels.
export function fitted(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  if (ctx.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (ctx.measureText(`${text.slice(0, mid)}…`).width <= width) low = mid;
    else high = mid - 1;
  }
  return low > 0 ? `${text.slice(0, low)}…` : '';
}
