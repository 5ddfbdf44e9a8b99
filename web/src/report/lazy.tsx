import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const waiting = new Set<() => void>();
let running = false;

/// Shows what still waits, one at a time, whenever the browser has nothing else to do.
function showWhenIdle(): void {
  if (running) return;
  running = true;
  const later = window.requestIdleCallback ?? ((f: () => void) => setTimeout(f, 60));
  const next = () => {
    const [first] = waiting;
    if (!first) running = false;
    else {
      first();
      later(next, { timeout: 2000 });
    }
  };
  later(next, { timeout: 2000 });
}

interface Props {
  id: string;
  title: string;
  lead?: ComponentChildren;
  /// About how tall it will be, so that the page does not jump.
  height: number;
  /// False while what it draws is not there yet.
  ready: boolean;
  children: () => ComponentChildren;
}

/// A section that is made when it comes near the screen, when the browser is idle, or before printing, whichever is first.
export function Section({ id, title, lead, height, ready, children }: Props) {
  const box = useRef<HTMLElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!ready || near) return;
    const show = () => {
      waiting.delete(show);
      setNear(true);
    };
    const watcher = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && show(), { rootMargin: '300px' });
    watcher.observe(box.current!);
    addEventListener('beforeprint', show);
    waiting.add(show);
    showWhenIdle();
    return () => {
      waiting.delete(show);
      watcher.disconnect();
      removeEventListener('beforeprint', show);
    };
  }, [ready, near]);
  const made = ready && near;
  return (
    <section id={id} ref={box} aria-labelledby={`${id}-title`} data-made={made} style={made ? {} : { minHeight: `${height}px` }}>
      <h2 id={`${id}-title`}>{title}</h2>
      {lead && <p class="lead">{lead}</p>}
      {made ? children() : null}
    </section>
  );
}
