import { useState } from 'preact/hooks';
import { useStore } from '../../parts/store';
import type { Live } from '../live/live';
import { takeToken } from '../live/token';
import { TokenField } from './token-field';

/// Beyond loopback nothing is shown without the token.
export function TokenPage({ live }: { live: Live }) {
  const trouble = useStore(live.trouble);
  const [text, setText] = useState('');
  const [keep, setKeep] = useState(false);
  const enter = (e: Event) => {
    e.preventDefault();
    takeToken(text.trim(), keep);
    live.start();
  };
  return (
    <main class="message">
      <h1>Penstock wants its token</h1>
      <p>This daemon listens beyond its own machine, so it shows nothing to whoever has no token.</p>
      <form class="stack" onSubmit={enter}>
        <TokenField text={text} keep={keep} onText={setText} onKeep={setKeep} />
        {trouble && (
          <p class="trouble" role="alert">
            {trouble}
          </p>
        )}
        <div>
          <button type="submit" class="primary">
            Show the dashboard
          </button>
        </div>
      </form>
    </main>
  );
}
