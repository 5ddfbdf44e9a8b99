import { useState } from 'preact/hooks';
import { useStore } from '../../parts/store';
import { reasonOf, Refused } from '../live/api';
import type { Live } from '../live/live';
import { forgetToken, token, takeToken } from '../live/token';
import { Dialog } from './dialog';
import { TokenField } from './token-field';

const words = {
  pause: {
    title: 'Pause Penstock',
    text: 'Jobs that run go on. Nothing is started, stopped or resized until it is resumed, also after a restart of the daemon; after a while held jobs are left to Slurm.',
    button: 'Pause',
  },
  resume: { title: 'Resume Penstock', text: 'It acts again within what its mode and fence allow.', button: 'Resume' },
};

/// Pauses or resumes the daemon, once it was confirmed.
export function Steer({ live, verb, onDone }: { live: Live; verb: 'pause' | 'resume'; onDone: () => void }) {
  const known = useStore(token);
  const [reason, setReason] = useState('');
  const [text, setText] = useState('');
  const [keep, setKeep] = useState(false);
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const { title, text: what, button } = words[verb];

  const send = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    if (known === null) takeToken(text.trim(), keep);
    try {
      await live.api.post(`/api/v1/${verb}`, verb === 'pause' && reason.trim() ? { reason: reason.trim() } : {});
      live.refresh();
      onDone();
    } catch (error) {
      if (error instanceof Refused && error.status === 401) forgetToken();
      setTrouble(reasonOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onDone} small>
      <form class="stack" onSubmit={(e) => void send(e)}>
        <p>{what}</p>
        {verb === 'pause' && (
          <label class="field wide">
            <span>Why, for those who come after you</span>
            <input type="text" name="reason" maxLength={400} value={reason} onInput={(e) => setReason(e.currentTarget.value)} autoFocus />
          </label>
        )}
        {known === null && <TokenField text={text} keep={keep} onText={setText} onKeep={setKeep} />}
        {trouble && (
          <p class="trouble" role="alert">
            {trouble}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy}>
            {busy ? 'Asking …' : button}
          </button>
          <button type="button" onClick={onDone}>
            Leave it as it is
          </button>
        </div>
      </form>
    </Dialog>
  );
}
