import { useState } from 'preact/hooks';
import { useStore } from '../../parts/store';
import { ThemeSwitch } from '../../parts/theme-switch';
import { freshness } from '../live/age';
import type { DaemonState } from '../live/api-types';
import type { Live } from '../live/live';
import { Steer } from './steer';
import { between, clock, useNow } from './times';

const modes = {
  shadow: 'says what it would do and changes nothing',
  fenced: 'acts within its fence',
  live: 'has the wheel',
};

/// What the daemon is, whether it acts, and whether this page follows it.
export function Top({ live }: { live: Live }) {
  const state = useStore(live.state);
  const [asks, setAsks] = useState<'pause' | 'resume' | null>(null);
  return (
    <>
      <header>
        <div class="top">
          <h1>Penstock</h1>
          <Connection live={live} />
          <span class="tail">
            {state && (
              <button type="button" onClick={() => setAsks(state.paused ? 'resume' : 'pause')}>
                {state.paused ? 'Resume …' : 'Pause …'}
              </button>
            )}
            <ThemeSwitch />
          </span>
        </div>
        {state && <Acting state={state} />}
        {state && <Facts state={state} />}
      </header>
      {asks && <Steer live={live} verb={asks} onDone={() => setAsks(null)} />}
    </>
  );
}

/// Whether what is seen is what is.
function Connection({ live }: { live: Live }) {
  const link = useStore(live.link);
  const heardAt = useStore(live.heardAt);
  const trouble = useStore(live.trouble);
  const { word, text, age } = freshness(link, heardAt, useNow(1000));
  return (
    <span class={`connection ${word}`}>
      <span class="dot" aria-hidden="true" />
      <span role="status">{text}</span>
      {age && <span> {age}</span>}
      {word !== 'live' && trouble && <span class="muted"> ({trouble})</span>}
    </span>
  );
}

function Acting({ state }: { state: DaemonState }) {
  const reasons = state.why_not.filter((why) => why !== 'the mode is shadow');
  if (state.acting && reasons.length === 0) return null;
  if (state.mode === 'shadow' && reasons.length === 0) return null;
  return (
    <div class="notes warn" role="alert">
      <p>
        <strong>{state.acting ? 'It does not act everywhere:' : state.mode === 'shadow' ? 'Even in live mode it would not act now:' : 'It does not act:'}</strong> {reasons.join('; ')}
      </p>
    </div>
  );
}

function Facts({ state }: { state: DaemonState }) {
  const now = Date.parse(state.now);
  const since = Date.parse(state.since);
  const options = Object.entries(state.policy.options).map(([name, value]) => `${name}=${value}`);
  return (
    <dl class="facts head">
      <div>
        <dt>Mode</dt>
        <dd>
          <strong>{state.mode}</strong> <span class="muted">{modes[state.mode]}</span>
        </dd>
      </div>
      <div>
        <dt>Acts</dt>
        <dd>
          <strong>{state.paused ? 'no, paused' : !state.acting ? 'no' : state.why_not.length > 0 ? 'yes, but not everywhere' : 'yes'}</strong>
        </dd>
      </div>
      <div>
        <dt>Policy</dt>
        <dd>
          <strong>{state.policy.name}</strong> {options.length > 0 && <span class="muted">{options.join(' ')}</span>}
        </dd>
      </div>
      <div>
        <dt>Jobs</dt>
        <dd>
          <strong>{state.jobs.running.toLocaleString('en-GB')}</strong> run, <strong>{state.jobs.queued.toLocaleString('en-GB')}</strong> wait,{' '}
          {state.jobs.ended.toLocaleString('en-GB')} ended
        </dd>
      </div>
      <div>
        <dt>Runs since</dt>
        <dd>
          {clock(since, now)} UTC <span class="muted">({between(since, now)}, version {state.version})</span>
        </dd>
      </div>
    </dl>
  );
}
