import { fixed } from '../../parts/units';
import type { Input } from '../data/head';
import { spelled } from '../data/measures';
import type { Shared } from '../shared';

/// What was run, what is missing, and what every measure means.
export function Overview({ shared }: { shared: Shared }) {
  const { head } = shared;
  const inputs = head.inputs;
  const of = (pick: (i: Input) => unknown) => [...new Set(inputs.map((i) => String(pick(i) ?? '') || '–'))];
  const facts: [string, string[]][] = [
    ['Runs', [fixed(head.runs.length, 0)]],
    ['Seed', of((i) => i.seed)],
    ['Scenario hash', of((i) => i.scenario_hash).map((h) => (h.length > 16 ? `${h.slice(0, 16)}…` : h))],
    ['Currency', of((i) => i.currency)],
    ['Simulated by', of((i) => `penstock ${i.version}`)],
    ['Report made by', [`penstock ${head.made_by}${head.made_at ? `, ${head.made_at.replace('T', ' ').replace('Z', ' UTC')}` : ''}`]],
    ['Read from', of((i) => i.dir)],
  ];
  if (head.sweep) facts.push(['Varied', head.sweep.keys]);
  return (
    <>
      <dl class="facts">
        {facts.map(([name, values]) => (
          <div>
            <dt>{name}</dt>
            <dd>{values.length > 4 ? `${values.slice(0, 3).join(', ')} and ${values.length - 3} more` : values.join(', ')}</dd>
          </div>
        ))}
      </dl>
      {head.notes.length > 0 && (
        <div class="notes" role="note">
          {head.notes.map((note) => (
            <p>{note}</p>
          ))}
        </div>
      )}
      <Definitions inputs={inputs} currency={shared.currency()} />
    </>
  );
}

function Definitions({ inputs, currency }: { inputs: Input[]; currency: string }) {
  const all = new Map<string, string>();
  for (const input of inputs) for (const [name, text] of Object.entries(input.definitions ?? {})) if (!all.has(name)) all.set(name, text);
  if (all.size === 0) return <p class="empty">The files say nothing about what their measures mean.</p>;
  return (
    <details>
      <summary>What each measure means ({all.size})</summary>
      <dl class="definitions">
        {[...all].map(([name, definition]) => {
          const [, unit = '', text = definition] = /^\[([^\]]*)\]\s*(.*)$/s.exec(definition) ?? [];
          return (
            <div>
              <dt>
                <code>{name}</code>
              </dt>
              <dd class="muted">{spelled(unit, currency)}</dd>
              <dd>{text}</dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}
