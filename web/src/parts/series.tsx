import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Entry } from './figure';
import { font } from './picture';
import { useStore } from './store';
import { shown, tokens } from './theme';
import { moment, type Ticks, timeTicks } from './ticks';
import type { TimeLink } from './time-link';
import { Tip, type TipAt, TipLines } from './tip';
import { plain, short } from './units';

export interface Line extends Entry {
  y: ArrayLike<number | null>;
  width?: number;
  /// Each value holds until the next one.
  step?: boolean;
  fill?: string;
}

interface Props {
  label: string;
  height: number;
  /// Rising. With `link` these are seconds of the shared time axis.
  x: ArrayLike<number>;
  lines: Line[];
  link?: TimeLink;
  /// Where lines of the x axis stand, unless it is time.
  xTicks?: (from: number, to: number, count: number) => Ticks;
  sayX?: (x: number) => string;
  sayY?: (y: number) => string;
  /// Values ÷ factor are written at the y axis.
  factor?: number;
  yRange?: [number, number];
  /// Horizontal lines with a name: caps, budgets, totals.
  marks?: { y: number; text: string }[];
  /// False leaves the numbers of the time axis to a chart below.
  showX?: boolean;
}

/// The width left of every chart over time, so that their axes stand below each other.
export const gutter = 56;
export const rightRoom = 8;

/// Lines over an axis (uPlot). Dragging zooms, a double click shows all; where there is a link, all charts of it follow.
export function SeriesChart(props: Props) {
  const theme = useStore(shown);
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [tip, setTip] = useState<TipAt | null>(null);
  const { link, height, label } = props;

  useEffect(() => {
    const host = frame.current!;
    const u = new uPlot(options(props, host.clientWidth || 300, setTip), dataOf(props), host);
    plot.current = u;
    u.root.querySelector('canvas')?.setAttribute('aria-hidden', 'true');
    const size = new ResizeObserver(() => host.clientWidth > 0 && host.clientWidth !== u.width && u.setSize({ width: host.clientWidth, height }));
    size.observe(host);
    const ends = link ? [follow(u, link), followPointer(u, link)] : [];
    return () => {
      ends.forEach((end) => end());
      size.disconnect();
      u.destroy();
      plot.current = null;
    };
  }, [theme, props.x, props.lines, props.marks, link, height]);

  const key = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (link?.key(e.key)) e.preventDefault();
    else if (!link && plot.current && moveCursor(plot.current, e.key)) e.preventDefault();
  };
  const wheel = (e: WheelEvent) => {
    if (!link || !plot.current || !(e.ctrlKey || document.activeElement === box.current)) return;
    e.preventDefault();
    const at = plot.current.posToVal(e.clientX - plot.current.over.getBoundingClientRect().left, 'x');
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) link.pan(Math.sign(e.deltaX) * 0.08);
    else link.zoom(Math.exp(Math.sign(e.deltaY) * 0.18), at);
  };
  useEffect(() => {
    const host = box.current!;
    host.addEventListener('wheel', wheel, { passive: false });
    return () => host.removeEventListener('wheel', wheel);
  });
  return (
    <div class="plot" ref={box} tabIndex={0} role="img" aria-label={label} onKeyDown={key}>
      <div ref={frame} />
      <Tip at={tip} />
    </div>
  );
}

function dataOf({ x, lines }: Props): uPlot.AlignedData {
  return [x, ...lines.map((l) => l.y)] as unknown as uPlot.AlignedData;
}

function moveCursor(u: uPlot, key: string): boolean {
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false;
  const left = (u.cursor.left ?? 0) < 0 ? u.over.clientWidth / 2 : (u.cursor.left ?? 0);
  u.setCursor({ left: Math.min(u.over.clientWidth - 1, Math.max(0, left + (key === 'ArrowLeft' ? -8 : 8))), top: 10 });
  return true;
}

/// Shows what the link shows. A chart off the screen waits until it comes near, so that zooming stays quick.
function follow(u: uPlot, link: TimeLink): () => void {
  let near = true;
  const show = () => {
    const { from, to } = link.seen.get();
    if (near && (u.scales.x.min !== from || u.scales.x.max !== to)) u.setScale('x', { min: from, max: to });
  };
  const come = () => {
    near = true;
    show();
  };
  const watcher = new IntersectionObserver((seen) => (seen[seen.length - 1].isIntersecting ? come() : (near = false)), { rootMargin: '100px' });
  watcher.observe(u.root);
  addEventListener('beforeprint', come);
  show();
  const end = link.seen.watch(show);
  return () => {
    end();
    watcher.disconnect();
    removeEventListener('beforeprint', come);
  };
}

function followPointer(u: uPlot, link: TimeLink): () => void {
  return link.pointer.watch((t) => {
    if (u.over.matches(':hover')) return;
    u.setCursor({ left: t === null ? -10 : u.valToPos(t, 'x'), top: 0 }, false);
  });
}

function options(props: Props, width: number, setTip: (tip: TipAt | null) => void): uPlot.Options {
  const { lines, link, factor = 1, marks = [], height, yRange, showX = true } = props;
  const { muted, line } = tokens();
  const xTicks = props.xTicks ?? ((from, to, count) => timeTicks(from, to, count, link?.origin ?? null));
  const ticksNow = (u: uPlot) => xTicks(u.scales.x.min ?? 0, u.scales.x.max ?? 1, Math.max(2, (u.width - gutter - rightRoom) / 85));
  const whole = (): [number, number] => {
    const all = link?.seen.get();
    return all ? [all.from, all.to] : [props.x[0] ?? 0, props.x[props.x.length - 1] ?? 1];
  };
  const axis = { stroke: muted, font: font(11), grid: { stroke: line, width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    padding: [8, rightRoom, showX ? 0 : 6, 0],
    scales: {
      x: { time: false, range: (_, min, max) => (Number.isFinite(min) && Number.isFinite(max) && max > min ? [min, max] : whole()) },
      y: { range: (_, min, max) => yRange ?? rangeOf(min, max, marks.map((m) => m.y)) },
    },
    axes: [
      { ...axis, size: showX ? 24 : 0, gap: 4, splits: (u) => ticksNow(u).at, values: showX ? (u) => inside(u, ticksNow(u)) : () => [] },
      { ...axis, size: gutter, gap: 4, space: 28, splits: (_, __, min, max) => ySplits(min, max, factor, height), values: (_, splits) => splits.map((s) => plain(s / factor)) },
    ],
    series: [
      {},
      ...lines.map((l) => ({
        label: l.label,
        stroke: l.colour,
        width: l.width ?? 1.5,
        dash: l.dash,
        fill: l.fill,
        show: !l.off,
        spanGaps: true,
        points: { show: false },
        paths: l.step ? uPlot.paths.stepped!({ align: 1 }) : undefined,
      })),
    ],
    cursor: {
      y: false,
      points: { size: 5 },
      drag: { x: true, y: false, setScale: !link },
      bind: link ? { dblclick: () => () => (link.reset(), null) } : undefined,
    },
    hooks: {
      draw: [(u) => drawMarks(u, marks)],
      setSelect: link ? [(u) => select(u, link)] : [],
      setCursor: [(u) => hover(u, props, setTip)],
      ready: [(u) => u.over.addEventListener('mouseleave', () => (setTip(null), link?.pointer.set(null)))],
    },
  };
}

/// What ticks say; nothing where it would be cut off at the right.
function inside(u: uPlot, { at, text }: Ticks): string[] {
  const { min = 0, max = 1 } = u.scales.x;
  const wide = u.width - gutter - rightRoom;
  return text.map((t, i) => (((max! - at[i]) / (max! - min!)) * wide + rightRoom > t.length * 3.1 ? t : ''));
}

function rangeOf(min: number | null, max: number | null, marks: number[]): [number, number] {
  const low = Math.min(0, min ?? 0, ...marks);
  const high = Math.max(max ?? 0, ...marks) || (low < 0 ? 0 : 1);
  const room = (high - low || 1) * 0.06;
  return [low < 0 ? low - room : 0, high + room];
}

function ySplits(min: number, max: number, factor: number, height: number): number[] {
  const count = Math.max(2, Math.floor((height - 24) / 23));
  const rough = (max - min) / factor / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10) * factor;
  const out: number[] = [];
  for (let i = Math.ceil(min / step); i * step <= max; ++i) out.push(i * step);
  return out;
}

function select(u: uPlot, link: TimeLink): void {
  const { left, width } = u.select;
  if (width < 3) return;
  link.show({ from: u.posToVal(left, 'x'), to: u.posToVal(left + width, 'x') });
  u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function hover(u: uPlot, props: Props, setTip: (tip: TipAt | null) => void): void {
  const { left = -1, top = 0, idx } = u.cursor;
  const own = u.over.matches(':hover') || u.root.closest('.plot') === document.activeElement;
  if (!own || left < 0 || idx === null || idx === undefined) return setTip(null);
  const { lines, link, factor = 1, x } = props;
  link?.pointer.set(u.posToVal(left, 'x'));
  const say = props.sayY ?? ((y: number) => short(y / factor));
  const sayX = props.sayX ?? ((v: number) => moment(v, link?.origin ?? null));
  const rows = lines
    .filter((l) => !l.off)
    .map((l) => ({ entry: l, name: l.label, value: held(l, idx) }))
    .filter((l) => l.value !== null && !Number.isNaN(l.value))
    .slice(0, 14)
    .map((l) => ({ ...l, value: say(l.value as number) }));
  if (rows.length === 0) return setTip(null);
  const offset = u.over.offsetLeft;
  setTip({ x: left + offset, y: top + u.over.offsetTop, content: <TipLines title={sayX(x[idx])} lines={rows} /> });
}

/// The value at a row, or the last one before it where a line has none there.
function held(line: Line, idx: number): number | null {
  for (let i = idx; i >= 0 && i > idx - 400; --i) if (line.y[i] !== null && line.y[i] !== undefined) return line.y[i];
  return null;
}

function drawMarks(u: uPlot, marks: { y: number; text: string }[]): void {
  const { ctx } = u;
  const { text } = tokens();
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = text;
  ctx.lineWidth = ratio;
  ctx.font = font(11 * ratio);
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  for (const mark of marks) {
    const y = Math.round(u.valToPos(mark.y, 'y', true)) + 0.5;
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(u.bbox.left, y);
    ctx.lineTo(u.bbox.left + u.bbox.width, y);
    ctx.stroke();
    ctx.fillText(mark.text, u.bbox.left + u.bbox.width - 3 * ratio, y - 2 * ratio);
  }
  ctx.restore();
}
