import type { Entry } from './figure';
import { drawShape } from './marks';
import { tokens } from './theme';

const margin = 16;
const lineHeight = 18;
export const font = (size: number, weight = 400) => `${weight} ${size}px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif`;

/// Title, legend and every canvas inside `body` as they stand on the page, as one PNG; null if there is no canvas.
export async function picture(body: HTMLElement, title: string, legend: Entry[]): Promise<Blob | null> {
  const canvases = [...body.querySelectorAll('canvas')].filter((c) => c.width > 0 && c.height > 0);
  if (canvases.length === 0) return null;
  const frame = body.getBoundingClientRect();
  const ratio = canvases[0].width / canvases[0].getBoundingClientRect().width || 1;
  const places = place(legend, frame.width);
  const top = margin + 24 + places.height + 6;
  const out = document.createElement('canvas');
  out.width = Math.ceil((frame.width + 2 * margin) * ratio);
  out.height = Math.ceil((top + frame.height + margin) * ratio);
  const ctx = out.getContext('2d')!;
  ctx.scale(ratio, ratio);
  const { ground, text } = tokens();
  ctx.fillStyle = ground;
  ctx.fillRect(0, 0, out.width, out.height);
  ctx.fillStyle = text;
  ctx.font = font(14, 600);
  ctx.fillText(title, margin, margin + 14);
  for (const { entry, x, y } of places.entries) drawEntry(ctx, entry, margin + x, margin + 24 + y, text);
  for (const canvas of canvases) {
    const box = canvas.getBoundingClientRect();
    ctx.drawImage(canvas, margin + box.left - frame.left, top + box.top - frame.top, box.width, box.height);
  }
  return new Promise((done) => out.toBlob(done, 'image/png'));
}

function place(legend: Entry[], width: number) {
  const ctx = document.createElement('canvas').getContext('2d')!;
  ctx.font = font(12);
  let x = 0;
  let y = 0;
  const entries = legend.map((entry) => {
    const wide = 26 + ctx.measureText(entry.label).width + 14;
    if (x > 0 && x + wide > width) {
      x = 0;
      y += lineHeight;
    }
    const at = { entry, x, y };
    x += wide;
    return at;
  });
  return { entries, height: legend.length ? y + lineHeight : 0 };
}

function drawEntry(ctx: CanvasRenderingContext2D, entry: Entry, x: number, y: number, text: string): void {
  const shape = entry.shape ?? 'line';
  // A canvas knows no variables of CSS; such marks have the colour of text.
  ctx.fillStyle = ctx.strokeStyle = /^(var|current)/.test(entry.colour) ? text : entry.colour;
  if (shape === 'line') {
    ctx.lineWidth = 2;
    ctx.setLineDash(entry.dash ?? []);
    ctx.beginPath();
    ctx.moveTo(x, y + 9);
    ctx.lineTo(x + 20, y + 9);
    ctx.stroke();
    ctx.setLineDash([]);
  } else if (shape === 'block') ctx.fillRect(x + 4, y + 4, 12, 10);
  else ctx.fill(new Path2D(drawShape(shape, x + 10, y + 9, 4)));
  ctx.fillStyle = text;
  ctx.font = font(12);
  ctx.fillText(entry.label, x + 26, y + 13);
}
