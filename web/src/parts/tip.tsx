import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Entry, Swatch } from './figure';

export interface TipAt {
  x: number;
  y: number;
  content: ComponentChildren;
}

/// A note beside the pointer that stays inside the width of its frame.
export function Tip({ at }: { at: TipAt | null }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const tip = box.current;
    const frame = tip?.parentElement;
    if (!tip || !frame || !at) return;
    const right = at.x + 14;
    const x = right + tip.offsetWidth > frame.clientWidth ? Math.max(0, at.x - 14 - tip.offsetWidth) : right;
    const y = at.y + 14 + tip.offsetHeight > frame.clientHeight ? Math.max(-40, at.y - 10 - tip.offsetHeight) : at.y + 14;
    tip.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  });
  if (!at) return null;
  return (
    <div class="tip" ref={box} role="status">
      {at.content}
    </div>
  );
}

/// A heading and lines of name and value, as most tips have.
export function TipLines({ title, lines }: { title: string; lines: { entry?: Entry; name: string; value: string }[] }) {
  return (
    <>
      <strong>{title}</strong>
      <dl>
        {lines.map(({ entry, name, value }) => (
          <>
            <dt>
              {entry && <Swatch entry={entry} />}
              {name}
            </dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </>
  );
}
