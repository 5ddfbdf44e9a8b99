import { Component, type ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Message } from '../parts/message';
import { useStore } from '../parts/store';
import { ThemeSwitch } from '../parts/theme-switch';
import type { Head } from './data/head';
import { Section } from './lazy';
import { Bounds, hasBounds } from './sections/bounds';
import { Cdfs } from './sections/cdfs';
import { Compare } from './sections/compare';
import { Fronts } from './sections/fronts';
import { Jobs } from './sections/jobs';
import { Learning, learnedRuns } from './sections/learning';
import { Life } from './sections/life';
import { OverTime, TimeControls } from './sections/over-time';
import { Overview } from './sections/overview';
import { Regions } from './sections/regions';
import { Schedule } from './sections/schedule';
import type { Shared } from './shared';
import { TimeState } from './time-state';

/// The whole report. What needs only the head is drawn at once, the rest when its data is unpacked.
export function App({ shared }: { shared: Shared }) {
  const { head } = shared;
  const report = useStore(shared.report);
  const state = useMemo(() => report && new TimeState(report), [report]);
  const ready = report !== null && state !== null;
  const data = { shared, report: report!, state: state! };
  const scenarios = [...new Set(head.inputs.map((i) => i.scenario))];
  return (
    <>
      <header class="top">
        <h1>{scenarios.slice(0, 3).join(', ') || 'Report'}</h1>
        <span class="kind">Penstock report</span>
        <ThemeSwitch />
      </header>
      <Nav head={head} />
      <main>
        <Overview shared={shared} />
        <Section id="comparison" title="Comparison" height={400} ready>
          {() => <Compare shared={shared} />}
        </Section>
        <Section id="distributions" title="Distributions" lead="The share of jobs that were done within a time, and within a multiple of the time they held GPUs. Further up and left is better." height={420} ready={ready}>
          {() => <Guarded><Cdfs {...data} /></Guarded>}
        </Section>
        <Section id="fronts" title="Trade-offs" lead="Further down and left is better. The line joins runs that no other beats in both measures." height={440} ready>
          {() => <Guarded><Fronts shared={shared} /></Guarded>}
        </Section>
        <Section id="time" title="Over time" lead="Drag over a chart to zoom all of them, double-click to see the whole time." height={1000} ready={ready}>
          {() => (
            <Guarded>
              <TimeControls {...data} />
              <OverTime {...data} />
            </Guarded>
          )}
        </Section>
        <Section id="schedule" title="GPUs and jobs" lead="The run and site chosen above, on the same time axis." height={560} ready={ready}>
          {() => <Guarded><Schedule {...data} /></Guarded>}
        </Section>
        {head.runs.some((r) => r.sites.length > 1) && (
          <Section id="sites" title="Across sites" height={420} ready={ready}>
            {() => <Guarded><Regions {...data} /></Guarded>}
          </Section>
        )}
        {learnedRuns(head).length > 0 && (
          <Section id="learning" title="Learned and predicted" height={560} ready={ready}>
            {() => <Guarded><Learning {...data} /></Guarded>}
          </Section>
        )}
        {hasBounds(head) && (
          <Section id="bounds" title="Distance to the lower bound" lead="A bound is what no policy could go below, however much it knew; it may be out of reach itself." height={300} ready>
            {() => <Bounds shared={shared} />}
          </Section>
        )}
        <Section id="jobs" title="Jobs" height={700} ready={ready}>
          {() => <Guarded><Jobs {...data} /></Guarded>}
        </Section>
      </main>
      {ready && <Life {...data} />}
    </>
  );
}

function Nav({ head }: { head: Head }) {
  const all: [string, string, boolean][] = [
    ['comparison', 'Comparison', true],
    ['distributions', 'Distributions', true],
    ['fronts', 'Trade-offs', true],
    ['time', 'Over time', true],
    ['schedule', 'GPUs and jobs', true],
    ['sites', 'Across sites', head.runs.some((r) => r.sites.length > 1)],
    ['learning', 'Learned', learnedRuns(head).length > 0],
    ['bounds', 'Bounds', hasBounds(head)],
    ['jobs', 'Jobs', true],
  ];
  return (
    <nav class="nav" aria-label="Sections" tabIndex={0}>
      {all.filter(([, , there]) => there).map(([id, text]) => (
        <a href={`#${id}`}>{text}</a>
      ))}
    </nav>
  );
}

/// What goes wrong in one section is said there; the others stay.
class Guarded extends Component<{ children: ComponentChildren }, { problem: string | null }> {
  override state = { problem: null };
  static override getDerivedStateFromError(error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  override render() {
    return this.state.problem === null ? this.props.children : <p class="notes" role="alert">This part cannot be shown. {this.state.problem}</p>;
  }
}

/// A report that cannot be shown at all, and why.
export function Unshown({ why }: { why: string }) {
  return (
    <Message title="This report cannot be shown">
      <p>{why}</p>
      <p class="muted">The same numbers are in summary.json and the CSV files that it was made from.</p>
    </Message>
  );
}
