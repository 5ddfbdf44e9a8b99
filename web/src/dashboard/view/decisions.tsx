import { useState } from 'preact/hooks';
import { useStore } from '../../parts/store';
import type { DecisionShown } from '../live/api-types';
import type { Live } from '../live/live';
import { clock } from './times';

const first = 12;

const states: Record<string, string> = {
  sent: 'asked',
  confirmed: 'done',
  refused: 'refused',
  lost: 'lost: nobody knows',
  would: 'not done',
};

/// What was decided last, and why.
export function Decisions({ live, onOpen }: { live: Live; onOpen: (id: string) => void }) {
  const decisions = useStore(live.decisions);
  const [all, setAll] = useState(false);
  const now = Date.parse(useStore(live.state)?.now ?? '') || Date.now();
  if (decisions === null) return <p class="empty">Asking the daemon …</p>;
  if (decisions.length === 0) return <p class="empty">Nothing has been decided yet.</p>;
  const shown = all ? decisions : decisions.slice(0, first);
  return (
    <>
      <ol class="decisions">
        {shown.map((decision) => (
          <Line key={`${decision.state === 'would'} ${decision.id}`} decision={decision} now={now} onOpen={onOpen} />
        ))}
      </ol>
      {decisions.length > first && (
        <button type="button" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? 'Fewer' : `The last ${decisions.length}`}
        </button>
      )}
    </>
  );
}

function Line({ decision: d, now, onOpen }: { decision: DecisionShown; now: number; onOpen: (id: string) => void }) {
  const job = d.job === null ? null : `${d.site}/${d.job}`;
  return (
    <li class={d.state}>
      <time datetime={d.when}>{clock(Date.parse(d.when), now, true)}</time>
      <span class="job">
        {job ? (
          <button type="button" class="link" onClick={() => onOpen(job)}>
            {job}
          </button>
        ) : (
          d.site
        )}
      </span>
      <span class="deed">
        {d.text || d.action}
        <span class="why">
          <span class="state">{states[d.state] ?? d.state}</span>
          {d.answer && `: ${d.answer}`}
        </span>
      </span>
      <span class="reason">{d.reason || <span class="muted">no reason was given</span>}</span>
    </li>
  );
}
