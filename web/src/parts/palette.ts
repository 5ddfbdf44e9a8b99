import { shown } from './theme';

// After Okabe and Ito, told apart with any colour vision; on white darkened, on black lightened
// until each has a contrast of 3:1 with the ground.
const onLight = ['#0072b2', '#d55e00', '#008060', '#a3478a', '#b87900', '#2f8fc4', '#5b5f66', '#7a1f3d'];
const onDark = ['#5ab4ee', '#ff8b45', '#2cc295', '#e59bc8', '#f0bd4b', '#9fb4ff', '#c9ccd1', '#f0e442'];
const dashes: number[][] = [[], [6, 3], [2, 3], [9, 3, 2, 3]];
const shapes = ['circle', 'square', 'diamond', 'triangle'] as const;

export type Shape = (typeof shapes)[number];

/// The colour of the i-th thing; beyond the eighth they come again, with another dash and shape.
export function colour(i: number): string {
  const all = shown.get() === 'dark' ? onDark : onLight;
  return all[i % all.length];
}

export function dash(i: number): number[] {
  return dashes[Math.floor(i / onLight.length) % dashes.length];
}

export function shape(i: number): Shape {
  return shapes[Math.floor(i / onLight.length) % shapes.length];
}

/// Dark blue through green to yellow (viridis), told apart without colour too: `share` in 0…1. The end that is next to the
/// ground is left out.
export function ramp(share: number): [number, number, number] {
  const within = Math.min(1, Math.max(0, share));
  const at = (shown.get() === 'dark' ? 0.15 + 0.85 * within : 0.93 * within) * (viridis.length - 1);
  const low = Math.min(viridis.length - 2, Math.floor(at));
  const part = at - low;
  return [0, 1, 2].map((c) => Math.round(viridis[low][c] * (1 - part) + viridis[low + 1][c] * part)) as [number, number, number];
}

const viridis = [
  [68, 1, 84], [70, 50, 126], [54, 92, 141], [39, 127, 142], [31, 161, 135], [74, 193, 109], [160, 218, 57], [253, 231, 37],
];

export const css = ([r, g, b]: readonly number[]): string => `rgb(${r},${g},${b})`;

/// "#rrggbb" or "rgb(r,g,b)" as three numbers.
export function rgb(text: string): [number, number, number] {
  if (text.startsWith('#')) {
    const n = parseInt(text.length === 4 ? text.replace(/[0-9a-f]/gi, '$&$&').slice(1) : text.slice(1), 16);
    return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
  }
  const parts = text.match(/[\d.]+/g) ?? ['0', '0', '0'];
  return [Number(parts[0]), Number(parts[1]), Number(parts[2])];
}
