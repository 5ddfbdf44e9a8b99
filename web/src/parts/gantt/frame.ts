import type { Pen } from '../canvas';
import { font } from '../picture';
import { fitted, stroke } from '../plane';
import { timeTicks } from '../ticks';
import type { TimeLink } from '../time-link';
import type { View } from './raster';
import type { GpuRows } from './rows';

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/// The lines and names around the stretches: time below, nodes and GPUs at the left.
export function drawFrame(pen: Pen, plot: Box, view: View, rows: GpuRows, link: TimeLink): void {
  drawTime(pen, plot, link);
  drawRows(pen, plot, view, rows);
}

function drawTime({ ctx, colours }: Pen, plot: Box, link: TimeLink): void {
  const { from, to } = link.seen.get();
  const ticks = timeTicks(from, to, Math.max(2, plot.w / 85), link.origin);
  ctx.font = font(11);
  ctx.textAlign = 'center';
  ctx.fillStyle = colours.muted;
  ctx.strokeStyle = colours.line;
  ticks.at.forEach((t, i) => {
    const x = Math.round(plot.x + ((t - from) / (to - from)) * plot.w) + 0.5;
    stroke(ctx, x, plot.y + plot.h, x, plot.y + plot.h + 4);
    if (x > plot.x + 10 && x < plot.x + plot.w - 10) ctx.fillText(ticks.text[i], x, plot.y + plot.h + 12);
  });
}

function drawRows({ ctx, colours }: Pen, plot: Box, view: View, rows: GpuRows): void {
  const per = plot.h / (view.bottom - view.top);
  const y = (gpu: number) => plot.y + (gpu - view.top) * per;
  ctx.font = font(10.5);
  ctx.textAlign = 'right';
  ctx.fillStyle = colours.muted;
  ctx.strokeStyle = colours.line;
  const label = (text: string, at: number) => {
    if (at > plot.y + 5 && at < plot.y + plot.h - 4) ctx.fillText(fitted(ctx, text, plot.x - 6), plot.x - 5, at);
  };
  const name = (n: number, more = '') => rows.nodeLabel(n, (text, after) => fitted(ctx, text, plot.x - 6 - ctx.measureText(after + more).width)) + more;
  if (per >= 11 && rows.nodeStarts.length) {
    for (let gpu = Math.floor(view.top); gpu < view.bottom; ++gpu) {
      const { gpu: g } = rows.place(gpu);
      if (g === 0) {
        stroke(ctx, 0, Math.round(y(gpu)) + 0.5, plot.x, Math.round(y(gpu)) + 0.5);
        label(name(rows.nodeOf(gpu), '·0'), y(gpu + 0.5));
      } else label(`${g}`, y(gpu + 0.5));
    }
    return;
  }
  if (rows.nodeStarts.length && drawNodes(ctx, plot, view, rows, y, (n, at) => label(name(n), at))) return;
  if (rows.sites.length > 1) {
    for (const site of rows.sites) {
      const at = Math.round(y(site.firstGpu)) + 0.5;
      if (at > plot.y && at < plot.y + plot.h) stroke(ctx, 0, at, plot.x + plot.w, at);
      const low = Math.max(plot.y, y(site.firstGpu));
      const high = Math.min(plot.y + plot.h, y(site.firstGpu + site.gpus));
      if (high - low >= 11) label(site.name, (low + high) / 2);
    }
    return;
  }
  const step = niceStep(24 / per);
  for (let gpu = Math.ceil(view.top / step) * step; gpu < view.bottom; gpu += step) label(`GPU ${gpu}`, y(gpu) + 5);
}

/// Names of nodes, as many as there is room for; false where that would be fewer than there are sites.
function drawNodes(ctx: CanvasRenderingContext2D, plot: Box, view: View, rows: GpuRows, y: (gpu: number) => number, label: (node: number, at: number) => void): boolean {
  const first = Math.max(0, rows.nodeOf(view.top));
  const last = rows.nodeOf(view.bottom - 1e-6);
  const step = niceStep(((last - first + 1) * 16) / plot.h);
  if (rows.sites.length > 1 && step > 4) return false;
  for (let n = Math.ceil(first / step) * step; n <= last; n += step) {
    const top = y(rows.nodeStarts[n]);
    if (step === 1 && top > plot.y) stroke(ctx, 0, Math.round(top) + 0.5, plot.x, Math.round(top) + 0.5);
    label(n, top + 7);
  }
  return true;
}

function niceStep(atLeast: number): number {
  for (let power = 1; ; power *= 10) for (const m of [1, 2, 5]) if (m * power >= atLeast) return m * power;
}
