import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useStore } from '../../parts/store';
import { freshness } from '../live/age';
import type { Live } from '../live/live';
import { Decisions } from './decisions';
import { JobLifeDialog } from './job-life';
import { Jobs } from './jobs';
import { SavingsPanel } from './savings';
import { Sites } from './site';
import { useNow } from './times';
import { TokenPage } from './token-page';
import { Top } from './top';

const sections = [
  ['sites', 'Sites'],
  ['jobs', 'Jobs'],
  ['decisions', 'Decisions'],
  ['savings', 'Savings'],
] as const;

/// The whole dashboard.
export function App({ live }: { live: Live }) {
  const wantsToken = useStore(live.wantsToken);
  const [open, setOpen] = useState<string | null>(null);
  if (wantsToken) return <TokenPage live={live} />;
  return (
    <>
      <Top live={live} />
      <nav class="nav" aria-label="Parts of this page">
        {sections.map(([id, title]) => (
          <a href={`#${id}`}>{title}</a>
        ))}
      </nav>
      <Faded live={live}>
        <Section id="sites" title="Sites">
          <Sites live={live} />
        </Section>
        <Section id="jobs" title="Jobs" lead="A click, or Enter, opens the life of a job.">
          <Jobs live={live} onOpen={setOpen} />
        </Section>
        <Section id="decisions" title="Decisions" lead="The latest first, with the policy's reasons. Times are in UTC.">
          <Decisions live={live} onOpen={setOpen} />
        </Section>
        <Section id="savings" title="Savings">
          <SavingsPanel live={live} />
        </Section>
      </Faded>
      {open !== null && <JobLifeDialog key={open} live={live} id={open} onClose={() => setOpen(null)} />}
    </>
  );
}

/// What is no longer true is not drawn as if it were.
function Faded({ live, children }: { live: Live; children: ComponentChildren }) {
  const { age } = freshness(useStore(live.link), useStore(live.heardAt), useNow(2000));
  return <main data-old={age !== ''}>{children}</main>;
}

function Section({ id, title, lead, children }: { id: string; title: string; lead?: string; children: ComponentChildren }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}
