import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { prepare } from '../canvas';
import { rgb } from '../palette';
import { soon } from '../printing';
import { gutter, rightRoom } from '../series';
import { useStore } from '../store';
import { shown } from '../theme';
import type { TimeLink } from '../time-link';
import { Tip, type TipAt } from '../tip';
import { drawFrame } from './frame';
import { Overview, Raster, shadeTable, toPixels, type View } from './raster';
import type { GpuRows } from './rows';
import type { StretchIndex } from './stretches';

interface Props {
  label: string;
  index: StretchIndex;
  rows: GpuRows;
  link: TimeLink;
  /// Seconds of one time unit of the stretches, and seconds from their origin to that of the link.
  unit: number;
  shift?: number;
  /// A paint for every stretch, and what each paint looks like.
  paints: Uint8Array;
  colours: string[];
  /// The GPUs that may be seen at all.
  within: { first: number; last: number };
  tip: (stretch: number) => ComponentChildren;
  onOpen?: (stretch: number) => void;
  height?: number;
}

const axisHeight = 22;
const manyRows = 60_000;

/// Who held which GPU when, for any number of stretches. Time is that of the link; rows are zoomed and moved here.
export function Gantt({ label, index, rows, link, unit, shift = 0, paints, colours, within, tip, onOpen, height = 420 }: Props) {
  const theme = useStore(shown);
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const hair = useRef<HTMLDivElement>(null);
  const gpus = useRef({ top: within.first, bottom: within.last });
  const ask = useRef<() => void>(() => undefined);
  const [at, setAt] = useState<TipAt | null>(null);
  const painter = useMemo(() => new Painter(), []);

  const viewNow = (): View => {
    const { from, to } = link.seen.get();
    return { from: (from - shift) / unit, to: (to - shift) / unit, ...gpus.current };
  };
  useEffect(() => {
    gpus.current = { top: within.first, bottom: within.last };
    ask.current();
  }, [within.first, within.last]);
  useEffect(() => {
    let frame = 0;
    const paint = () => {
      frame = 0;
      const width = box.current?.clientWidth ?? 0;
      if (width < gutter + 40 || !canvas.current) return;
      const pen = prepare(canvas.current, width, height);
      const plot = { x: gutter, y: 0, w: width - gutter - rightRoom, h: height - axisHeight };
      const view = viewNow();
      const whole = { from: (link.whole.from - shift) / unit, to: (link.whole.to - shift) / unit, top: within.first, bottom: within.last };
      painter.paint(pen.ctx, plot, pen.ratio, index, paints, view, whole, [pen.colours.faint, ...colours]);
      drawFrame(pen, plot, view, rows, link);
    };
    const point = (t: number | null) => {
      const { from, to } = link.seen.get();
      const wide = (box.current?.clientWidth ?? 0) - gutter - rightRoom;
      const hide = t === null || t < from || t > to;
      hair.current!.hidden = hide;
      if (!hide) hair.current!.style.transform = `translateX(${Math.round(gutter + ((t - from) / (to - from)) * wide)}px)`;
    };
    ask.current = () => void (frame ||= soon(paint));
    ask.current();
    const size = new ResizeObserver(() => ask.current());
    size.observe(box.current!);
    const ends = [link.seen.watch(() => ask.current()), link.pointer.watch(point)];
    return () => {
      cancelAnimationFrame(frame);
      size.disconnect();
      ends.forEach((end) => end());
    };
  }, [index, rows, link, unit, shift, paints, colours.join(), within, height, theme]);

  const moveGpus = (top: number, bottom: number) => {
    const all = within.last - within.first;
    const length = Math.min(all, Math.max(bottom - top, Math.min(all, 4)));
    const start = Math.min(Math.max(top, within.first), within.last - length);
    gpus.current = { top: start, bottom: start + length };
    ask.current();
  };
  const zoomGpus = (factor: number, around = (gpus.current.top + gpus.current.bottom) / 2) => {
    const { top, bottom } = gpus.current;
    moveGpus(around - (around - top) * factor, around + (bottom - around) * factor);
  };
  const panGpus = (share: number) => {
    const { top, bottom } = gpus.current;
    moveGpus(top + (bottom - top) * share, bottom + (bottom - top) * share);
  };
  const all = () => (link.reset(), moveGpus(within.first, within.last));

  const place = (e: MouseEvent) => {
    const frame = box.current!.getBoundingClientRect();
    const x = e.clientX - frame.left;
    const y = e.clientY - frame.top;
    const { from, to } = link.seen.get();
    const { top, bottom } = gpus.current;
    const wide = frame.width - gutter - rightRoom;
    const time = from + ((x - gutter) / wide) * (to - from);
    const gpu = top + (y / (height - axisHeight)) * (bottom - top);
    return { x, y, time, gpu, inside: x >= gutter && x <= gutter + wide && y >= 0 && y < height - axisHeight, perPixel: (to - from) / wide };
  };
  const find = (e: MouseEvent): number => {
    const { time, gpu, inside, perPixel } = place(e);
    return inside ? index.at(Math.floor(gpu), (time - shift) / unit, perPixel / unit) : -1;
  };

  const held = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(false);
  const down = (e: PointerEvent) => {
    held.current.set(e.pointerId, { x: e.clientX, y: e.clientY });
    moved.current = false;
  };
  const up = (e: PointerEvent) => held.current.delete(e.pointerId);
  const move = (e: PointerEvent) => {
    const before = held.current.get(e.pointerId);
    if (before && e.buttons) {
      const dx = e.clientX - before.x;
      const dy = e.clientY - before.y;
      if (!moved.current && Math.hypot(dx, dy) < 4) return;
      if (!moved.current) box.current!.setPointerCapture(e.pointerId);
      moved.current = true;
      setAt(null);
      drag(e, before, dx, dy);
      return;
    }
    const here = place(e);
    link.pointer.set(here.inside ? here.time : null);
    const stretch = find(e);
    setAt(stretch < 0 ? null : { x: here.x, y: here.y, content: tip(stretch) });
  };
  const drag = (e: PointerEvent, before: { x: number; y: number }, dx: number, dy: number) => {
    const other = [...held.current].find(([id]) => id !== e.pointerId)?.[1];
    const wide = box.current!.clientWidth - gutter - rightRoom;
    if (other) link.zoom(Math.max(0.5, Math.min(2, Math.hypot(before.x - other.x, before.y - other.y) / Math.max(1, Math.hypot(e.clientX - other.x, e.clientY - other.y)))));
    else {
      link.pan(-dx / wide);
      panGpus(-dy / (height - axisHeight));
    }
    held.current.set(e.pointerId, { x: e.clientX, y: e.clientY });
  };
  const wheel = (e: WheelEvent) => {
    if (!(e.ctrlKey || document.activeElement === box.current)) return;
    e.preventDefault();
    const { time, gpu } = place(e);
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) link.pan(Math.sign(e.deltaX) * 0.08);
    else if (e.shiftKey || e.altKey) zoomGpus(Math.exp(Math.sign(e.deltaY || e.deltaX) * 0.18), gpu);
    else link.zoom(Math.exp(Math.sign(e.deltaY) * 0.18), time);
    setAt(null);
  };
  useEffect(() => {
    const host = box.current!;
    host.addEventListener('wheel', wheel, { passive: false });
    return () => host.removeEventListener('wheel', wheel);
  });
  const key = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'ArrowUp') panGpus(-0.2);
    else if (e.key === 'ArrowDown') panGpus(0.2);
    else if (e.key === 'PageUp' || e.key === ']') zoomGpus(1 / 1.5);
    else if (e.key === 'PageDown' || e.key === '[') zoomGpus(1.5);
    else if (e.key === 'Home' || e.key === '0') all();
    else if (!link.key(e.key)) return;
    e.preventDefault();
    setAt(null);
  };
  const leave = () => (setAt(null), link.pointer.set(null));
  return (
    <>
      <div class="tools noprint gantt-tools">
        <Tool name="Zoom in time" text="time +" act={() => link.zoom(1 / 1.5)} />
        <Tool name="Zoom out in time" text="time −" act={() => link.zoom(1.5)} />
        <Tool name="Fewer GPUs" text="GPUs +" act={() => zoomGpus(1 / 1.5)} />
        <Tool name="More GPUs" text="GPUs −" act={() => zoomGpus(1.5)} />
        <Tool name="Show all" text="all" act={all} />
      </div>
      <div
        class="plot pan"
        ref={box}
        tabIndex={0}
        role="application"
        aria-label={`${label}. Arrow keys move, plus and minus zoom in time, page up and page down in GPUs, Home shows all.`}
        onKeyDown={key}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onPointerLeave={leave}
        onDblClick={all}
        onClick={(e) => {
          const stretch = moved.current ? -1 : find(e);
          if (stretch >= 0 && onOpen) onOpen(stretch);
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <div class="hair" ref={hair} hidden style={{ height: `${height - axisHeight}px` }} />
        <Tip at={at} />
      </div>
    </>
  );
}

function Tool({ name, text, act }: { name: string; text: string; act: () => void }) {
  return (
    <button type="button" class="plain" aria-label={name} title={name} onClick={act}>
      {text}
    </button>
  );
}

/// Turns stretches into pixels; keeps its buffers, and an overview of everything where there are many.
class Painter {
  private raster = new Raster();
  private image: ImageData | null = null;
  private overview: Overview | null = null;
  private madeOf: unknown[] = [];

  paint(
    ctx: CanvasRenderingContext2D,
    plot: { x: number; y: number; w: number; h: number },
    ratio: number,
    index: StretchIndex,
    paints: Uint8Array,
    view: View,
    whole: View,
    colours: string[],
  ): void {
    const w = Math.round(plot.w * ratio);
    const h = Math.round(plot.h * ratio);
    if (!this.image || this.image.width !== w || this.image.height !== h) this.image = ctx.createImageData(w, h);
    const overview = index.all.rows > manyRows && (whole.bottom - whole.top) > h ? this.overviewOf(index, paints, whole, w, h) : null;
    if (overview?.serves(view, w, h)) overview.draw(this.raster, view, w, h);
    else this.raster.draw(index, paints, view, w, h, 5 * ratio);
    const [ground, ...rest] = colours.map(rgb);
    toPixels(this.raster, shadeTable(ground, rest), new Uint32Array(this.image.data.buffer));
    ctx.putImageData(this.image, Math.round(plot.x * ratio), Math.round(plot.y * ratio));
  }

  private overviewOf(index: StretchIndex, paints: Uint8Array, whole: View, w: number, h: number): Overview {
    const of = [index, paints, whole.from, whole.to, whole.top, whole.bottom, w, h];
    if (!this.overview || of.some((part, i) => part !== this.madeOf[i])) {
      this.overview = new Overview(index, paints, whole, w, h);
      this.madeOf = of;
    }
    return this.overview;
  }
}
