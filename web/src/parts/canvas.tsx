import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { soon } from './printing';
import type { Store } from './store';
import { useStore } from './store';
import { shown, type Tokens, tokens } from './theme';
import { Tip, type TipAt } from './tip';

/// What a chart draws with; sizes are in CSS pixels.
export interface Pen {
  ctx: CanvasRenderingContext2D;
  width: number;
  height: number;
  ratio: number;
  colours: Tokens;
}

interface Props {
  height: number;
  /// What is seen, for those who cannot see it.
  label: string;
  draw: (pen: Pen) => void;
  /// What is to be said about a place; null says nothing.
  tip?: (x: number, y: number, width: number) => ComponentChildren | null;
  onPick?: (x: number, y: number, width: number) => void;
  /// Stores whose change asks for another drawing.
  watch?: Store<never>[];
}

/// A canvas as wide as its frame, drawn again when its size, its theme, its data or what it watches changes, at most once a frame.
export function CanvasChart({ height, label, draw, tip, onPick, watch = [] }: Props) {
  const theme = useStore(shown);
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<TipAt | null>(null);

  useEffect(() => {
    let frame = 0;
    const paint = () => {
      frame = 0;
      const width = box.current?.clientWidth ?? 0;
      if (canvas.current && width > 0) draw(prepare(canvas.current, width, height));
    };
    const ask = () => (frame ||= soon(paint));
    const size = new ResizeObserver(ask);
    size.observe(box.current!);
    const ends = watch.map((store) => store.watch(ask));
    ask();
    return () => {
      cancelAnimationFrame(frame);
      size.disconnect();
      ends.forEach((end) => end());
    };
  }, [draw, height, theme]);

  const place = (e: MouseEvent) => {
    const frame = box.current!.getBoundingClientRect();
    return [e.clientX - frame.left, e.clientY - frame.top, frame.width] as const;
  };
  const move = (e: PointerEvent) => {
    const [x, y, width] = place(e);
    const content = tip?.(x, y, width) ?? null;
    setAt(content === null ? null : { x, y, content });
  };
  return (
    <div class="plot" ref={box} onPointerMove={tip && move} onPointerLeave={() => setAt(null)} onClick={onPick && ((e) => onPick(...place(e)))}>
      <canvas ref={canvas} role="img" aria-label={label} />
      <Tip at={at} />
    </div>
  );
}

/// A cleared canvas of that size, sharp on every screen.
export function prepare(canvas: HTMLCanvasElement, width: number, height: number): Pen {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext('2d')!;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.textBaseline = 'middle';
  return { ctx, width, height, ratio, colours: tokens() };
}
