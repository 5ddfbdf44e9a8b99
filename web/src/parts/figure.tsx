import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { download, fileName } from './download';
import { drawShape } from './marks';
import type { Shape } from './palette';
import { picture } from './picture';

/// What a colour, dash or shape stands for.
export interface Entry {
  label: string;
  colour: string;
  dash?: number[];
  shape?: Shape | 'line' | 'block';
  off?: boolean;
}

interface Props {
  title: string;
  unit?: string;
  legend?: Entry[];
  /// With it, entries can be switched off and on.
  onToggle?: (index: number) => void;
  /// What the chart shows, as CSV; made when asked for.
  csv?: () => string;
  caption?: ComponentChildren;
  /// Tables have no picture.
  noPng?: boolean;
  children: ComponentChildren;
  id?: string;
}

/// A chart with its title, unit, legend, caption, and its export as PNG and CSV. The picture is made of every canvas inside.
export function Figure({ title, unit, legend, onToggle, csv, caption, noPng, children, id }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const name = fileName(title);
  const savePng = async () => {
    const blob = body.current && (await picture(body.current, unit ? `${title} (${unit})` : title, (legend ?? []).filter((e) => !e.off)));
    if (blob) download(`${name}.png`, blob);
  };
  return (
    <figure id={id}>
      <header>
        <h3>
          {title} {unit && <span class="unit">({unit})</span>}
        </h3>
        <span class="tools">
          {!noPng && (
            <button type="button" class="plain" aria-label={`${title}: save as PNG`} onClick={() => void savePng()}>
              PNG
            </button>
          )}
          {csv && (
            <button type="button" class="plain" aria-label={`${title}: save as CSV`} onClick={() => download(`${name}.csv`, new Blob([csv()], { type: 'text/csv' }))}>
              CSV
            </button>
          )}
        </span>
      </header>
      {legend && legend.length > 0 && <Legend entries={legend} onToggle={onToggle} />}
      <div class="body" ref={body}>
        {children}
      </div>
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

function Legend({ entries, onToggle }: { entries: Entry[]; onToggle?: (i: number) => void }) {
  return (
    <ul class="legend">
      {entries.map((entry, i) => (
        <li key={i}>
          {onToggle ? (
            <button type="button" aria-pressed={!entry.off} onClick={() => onToggle(i)}>
              <Swatch entry={entry} />
              {entry.label}
            </button>
          ) : (
            <>
              <Swatch entry={entry} />
              {entry.label}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/// The mark of an entry beside its name.
export function Swatch({ entry }: { entry: Entry }) {
  const { shape = 'line' } = entry;
  return (
    <svg width="20" height="10" aria-hidden="true">
      {shape === 'line' ? (
        <line x1="0" x2="20" y1="5" y2="5" stroke={entry.colour} stroke-width="2" stroke-dasharray={entry.dash?.join(' ')} />
      ) : shape === 'block' ? (
        <rect x="4" y="0" width="12" height="10" fill={entry.colour} />
      ) : (
        <path d={drawShape(shape, 10, 5, 4)} fill={entry.colour} />
      )}
    </svg>
  );
}
