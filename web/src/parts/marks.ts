import type { Shape } from './palette';

/// The outline of a mark around (x, y), as a path of SVG and of canvases alike.
export function drawShape(shape: Shape, x: number, y: number, r: number): string {
  switch (shape) {
    case 'circle':
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    case 'square':
      return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case 'diamond':
      return `M${x} ${y - r * 1.25}l${r * 1.25} ${r * 1.25}l${-r * 1.25} ${r * 1.25}l${-r * 1.25} ${-r * 1.25}z`;
    case 'triangle':
      return `M${x} ${y - r * 1.2}l${r * 1.15} ${r * 2.1}h${-r * 2.3}z`;
  }
}
