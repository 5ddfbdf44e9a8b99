import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../../parts/store';
import { fixed } from '../../parts/units';
import { reasonOf } from '../live/api';
import type { JobLife, LifeLine } from '../live/api-types';
import type { Live } from '../live/live';
import { Pace } from '../live/pace';
import { Dialog } from './dialog';
import { clock } from './times';

const mostLines = 500;

/// The life of one job with the reasons, kept up to date while it is open.
export function JobLifeDialog({ live, id, onClose }: { live: Live; id: string; onClose: () => void }) {
  const [life, setLife] = useState<JobLife | null>(null);
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    const ask = async () => {
      try {
        setLife(await live.api.get<JobLife>(`/api/v1/jobs/${id.split('/').map(encodeURIComponent).join('/')}`));
        setTrouble('');
      } catch (error) {
        setTrouble(reasonOf(error));
      }
    };
    const pace = new Pace(1000, ask);
    pace.ask();
    const end = live.touched.watch((ids) => ids.has(id) && pace.ask());
    return () => {
      end();
      pace.stop();
    };
  }, [id]);
  const now = Date.parse(useStore(live.state)?.now ?? '') || Date.now();
  return (
    <Dialog title={`Job ${id}`} onClose={onClose}>
      {trouble && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      {life ? <Life life={life} now={now} /> : !trouble && <p class="empty">Asking the daemon …</p>}
    </Dialog>
  );
}

function Life({ life: { job, life }, now }: { life: JobLife; now: number }) {
  const time = (text: string | null | undefined) => (text ? `${clock(Date.parse(text), now)} UTC` : '');
  const facts = [
    ['Name', job.name],
    ['State', job.state],
    ['User', job.user],
    ['Partition', job.partition],
    ['GPUs', job.gpus_asked === undefined ? '' : job.gpus ? `${fixed(job.gpus, 0)}, asked for ${fixed(job.gpus_asked, 0)}` : `asked for ${fixed(job.gpus_asked, 0)}`],
    ['Nodes', job.nodes?.join(' ')],
    ['Clock', job.clock_mhz ? `${fixed(job.clock_mhz, 0)} MHz` : ''],
    ['Submitted', time(job.submitted)],
    ['Started', time(job.started)],
    ['Expected to end', time(job.expected_end)],
    ['Deadline', time(job.deadline)],
    ['Priority', job.priority == null ? '' : fixed(job.priority, 0)],
    ['Trains', job.kind],
    ['Why', job.why],
  ].filter((fact): fact is [string, string] => Boolean(fact[1]));
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h3>What happened to it</h3>
      {life.length === 0 && <p class="empty">The journal has nothing of it yet.</p>}
      {life.length > mostLines && <p class="muted">The last {mostLines} of {fixed(life.length, 0)} lines.</p>}
      <ol class="life">
        {life.slice(-mostLines).map((line) => (
          <Entry line={line} now={now} />
        ))}
      </ol>
    </>
  );
}

function Entry({ line, now }: { line: LifeLine; now: number }) {
  return (
    <li>
      <time datetime={line.when}>{clock(Date.parse(line.when), now, true)}</time>
      <span class="what">{line.what}</span>
      <span>
        {line.text}
        {line.reason && <span class="why">because: {line.reason}</span>}
      </span>
    </li>
  );
}
