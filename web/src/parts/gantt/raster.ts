import type { StretchIndex } from './stretches';

/// The part of the world that is drawn: times in units, GPUs as rows.
export interface View {
  from: number;
  to: number;
  top: number;
  bottom: number;
}

/// What a picture of W × H pixels is made of: how much of each pixel is held, and by the paint of the stretch that came last.
export class Raster {
  paint = new Uint8Array(0);
  cover = new Float32Array(0);
  width = 0;
  height = 0;

  /// An empty picture of that size.
  reset(width: number, height: number): void {
    this.width = width;
    this.height = height;
    const n = (width + 2) * height;
    if (this.cover.length !== n) {
      this.cover = new Float32Array(n);
      this.paint = new Uint8Array(n);
    } else this.cover.fill(0);
  }

  /// Draws every stretch that is seen. However many share a pixel, it ends up with the share of its time and GPUs that is
  /// held; cost grows with stretches seen plus pixels, not with their product. Rows of `gap` or more pixels leave one free.
  draw(index: StretchIndex, paints: Uint8Array, view: View, width: number, height: number, gap = 5): void {
    this.reset(width, height);
    const { from, length, gpu, count } = index.all;
    const kx = width / (view.to - view.from);
    const ky = height / (view.bottom - view.top);
    const crisp = ky >= 1.5;
    const room = ky >= gap ? 1 : 0;
    index.ranges(view.from, view.to, (begin, end) => {
      for (let i = begin; i < end; ++i) {
        const g0 = gpu[i];
        const g1 = g0 + count[i];
        if (g1 <= view.top || g0 >= view.bottom) continue;
        const t0 = from[i];
        const t1 = t0 + length[i];
        if (t1 <= view.from) continue;
        const x0 = t0 <= view.from ? 0 : (t0 - view.from) * kx;
        const x1 = t1 >= view.to ? width : (t1 - view.from) * kx;
        let y0 = g0 <= view.top ? 0 : (g0 - view.top) * ky;
        let y1 = g1 >= view.bottom ? height : (g1 - view.top) * ky;
        if (crisp) {
          y0 = Math.round(y0);
          y1 = Math.max(y0 + 1, Math.round(y1) - room);
        }
        const last = Math.min(height - 1, Math.ceil(y1) - 1);
        for (let y = y0 | 0; y <= last; ++y) {
          const w = Math.min(y1, y + 1) - Math.max(y0, y);
          if (w > 0) this.span(y, x0, x1, w, paints[i]);
        }
      }
    });
    this.sum();
  }

  /// Adds weight w on [x0, x1) of a row, as steps that `sum` adds up.
  private span(y: number, x0: number, x1: number, w: number, paint: number): void {
    const row = y * (this.width + 2);
    const { cover } = this;
    const a = x0 | 0;
    const b = x1 | 0;
    if (a === b) {
      const part = w * (x1 - x0);
      cover[row + a] += part;
      cover[row + a + 1] -= part;
    } else {
      const head = w * (a + 1 - x0);
      cover[row + a] += head;
      cover[row + a + 1] += w - head;
      const tail = w * (x1 - b);
      cover[row + b] += tail - w;
      cover[row + b + 1] -= tail;
    }
    const end = row + (x1 > b ? b + 1 : b);
    const start = row + a;
    if (end - start > 24) this.paint.fill(paint, start, end);
    else for (let p = start; p < end; ++p) this.paint[p] = paint;
  }

  private sum(): void {
    const { cover, width, height } = this;
    for (let y = 0; y < height; ++y) {
      const row = y * (width + 2);
      let sum = 0;
      for (let x = 0; x < width; ++x) cover[row + x] = sum += cover[row + x];
    }
  }
}

const full = 255;

/// All of it at twice the pixels of the screen, made once: while much is seen, pictures are made from it instead of from every
/// stretch.
export class Overview {
  private readonly cover: Uint8Array;
  private readonly paint: Uint8Array;
  private readonly width: number;
  private readonly height: number;

  constructor(
    index: StretchIndex,
    paints: Uint8Array,
    readonly whole: View,
    width: number,
    height: number,
  ) {
    this.width = 2 * width;
    this.height = 2 * height;
    const all = new Raster();
    all.draw(index, paints, whole, this.width, this.height, Infinity);
    this.cover = new Uint8Array(this.width * this.height);
    this.paint = new Uint8Array(this.width * this.height);
    for (let y = 0, p = 0; y < this.height; ++y)
      for (let x = 0, q = y * (this.width + 2); x < this.width; ++x, ++p, ++q) {
        this.cover[p] = all.cover[q] <= 0.002 ? 0 : Math.min(full, Math.max(1, Math.round(all.cover[q] * full)));
        this.paint[p] = all.paint[q];
      }
  }

  /// Whether it has a cell for every pixel of a picture of `view`.
  serves(view: View, width: number, height: number): boolean {
    const { whole } = this;
    const inside = view.from >= whole.from && view.to <= whole.to && view.top >= whole.top && view.bottom <= whole.bottom;
    return inside && ((view.to - view.from) / (whole.to - whole.from)) * this.width >= width && ((view.bottom - view.top) / (whole.bottom - whole.top)) * this.height >= height;
  }

  /// Fills `raster` with a picture of `view`: the mean of the cells of each pixel, and the paint of the fullest.
  draw(raster: Raster, view: View, width: number, height: number): void {
    raster.reset(width, height);
    const { whole } = this;
    const kx = this.width / (whole.to - whole.from);
    const ky = this.height / (whole.bottom - whole.top);
    const edges = (from: number, step: number, n: number, most: number) => Int32Array.from({ length: n + 1 }, (_, i) => Math.min(most, Math.floor(from + i * step)));
    const xs = edges((view.from - whole.from) * kx, ((view.to - view.from) * kx) / width, width, this.width);
    const ys = edges((view.top - whole.top) * ky, ((view.bottom - view.top) * ky) / height, height, this.height);
    const { cover, paint, width: w } = this;
    for (let y = 0; y < height; ++y) {
      const y0 = Math.min(ys[y], this.height - 1);
      const y1 = Math.max(y0 + 1, ys[y + 1]);
      const row = y * (width + 2);
      for (let x = 0; x < width; ++x) {
        const x0 = Math.min(xs[x], w - 1);
        const x1 = Math.max(x0 + 1, xs[x + 1]);
        let sum = 0;
        let most = 0;
        let best = 0;
        for (let v = y0; v < y1; ++v)
          for (let p = v * w + x0, end = v * w + x1; p < end; ++p) {
            const c = cover[p];
            sum += c;
            if (c > most) {
              most = c;
              best = paint[p];
            }
          }
        raster.cover[row + x] = sum / (full * (x1 - x0) * (y1 - y0));
        raster.paint[row + x] = best;
      }
    }
  }
}

const shades = 64;

/// Colours of `paints` from the ground (nothing held) to full, for `toPixels`.
export function shadeTable(ground: readonly number[], paints: readonly (readonly number[])[]): Uint32Array {
  const table = new Uint32Array(paints.length * shades);
  paints.forEach((paint, p) => {
    for (let s = 0; s < shades; ++s) {
      // A little of a colour is still seen: shares of a pixel begin at a fifth.
      const part = s === 0 ? 0 : 0.2 + (0.8 * s) / (shades - 1);
      const mix = [0, 1, 2].map((c) => Math.round(ground[c] + (paint[c] - ground[c]) * part));
      table[p * shades + s] = (255 << 24) | (mix[2] << 16) | (mix[1] << 8) | mix[0];
    }
  });
  return table;
}

/// Colours every pixel of `out` (RGBA as little-endian words).
export function toPixels(raster: Raster, table: Uint32Array, out: Uint32Array): void {
  const { width, height, cover, paint } = raster;
  const ground = table[0];
  for (let y = 0, p = 0; y < height; ++y) {
    const row = y * (width + 2);
    for (let x = 0; x < width; ++x, ++p) {
      const share = cover[row + x];
      out[p] = share < 0.004 ? ground : table[paint[row + x] * shades + (share >= 0.998 ? shades - 1 : 1 + ((share * (shades - 2)) | 0))];
    }
  }
}
