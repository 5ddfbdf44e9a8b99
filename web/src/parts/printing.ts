import { options } from 'preact';

type Scheduler = { debounceRendering?: (f: () => void) => void; requestAnimationFrame?: (f: () => void) => void };

let printing = false;
const usual: Scheduler = {};

/// Paper waits for no frame: from now on everything is drawn when it is asked for, until `endPrinting`.
export function beginPrinting(): void {
  if (printing) return;
  printing = true;
  const preact = options as Scheduler;
  Object.assign(usual, { debounceRendering: preact.debounceRendering, requestAnimationFrame: preact.requestAnimationFrame });
  preact.debounceRendering = preact.requestAnimationFrame = (f) => f();
  document.documentElement.classList.add('printing');
}

export function endPrinting(): void {
  printing = false;
  Object.assign(options, usual);
  document.documentElement.classList.remove('printing');
}

/// Calls `f` in the next frame, or at once for paper. Returns what `cancelAnimationFrame` takes.
export function soon(f: () => void): number {
  if (!printing) return requestAnimationFrame(f);
  f();
  return 0;
}
