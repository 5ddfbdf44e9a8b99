import type { ComponentChildren } from 'preact';
import { fixed } from '../../parts/units';
import type { SortKey } from '../live/job-order';
import type { Job } from '../live/jobs';
import { between, clock } from './times';

export interface JobColumn {
  id: SortKey;
  head: string;
  unit?: string;
  width: string;
  text?: boolean;
  title?: string;
  cell: (job: Job, now: number) => ComponentChildren;
}

const id: JobColumn = { id: 'id', head: 'Job', width: '7.5rem', text: true, cell: (j) => <span class="link">{j.id}</span> };
const name: JobColumn = { id: 'name', head: 'Name', width: 'minmax(8rem, 1.3fr)', text: true, cell: (j) => <span title={j.name}>{j.name}</span> };
const user: JobColumn = { id: 'user', head: 'User', width: 'minmax(4.5rem, 0.6fr)', text: true, cell: (j) => j.user || '–' };
const partition: JobColumn = { id: 'partition', head: 'Partition', width: 'minmax(5rem, 0.5fr)', text: true, cell: (j) => j.partition || '–' };
const deadline: JobColumn = { id: 'deadline', head: 'Deadline', unit: 'UTC', width: '8.2rem', cell: (j, now) => (j.deadline === null ? '–' : <Deadline job={j} now={now} />) };
const why: JobColumn = { id: 'why', head: 'Why', width: 'minmax(7rem, 1.6fr)', text: true, cell: (j) => <span title={j.why}>{j.why}</span> };
const kind: JobColumn = { id: 'kind', head: 'Trains', width: 'minmax(5rem, 0.7fr)', text: true, cell: (j) => j.kind || '–' };

/// Jobs that have GPUs, or are about to.
export const runningColumns: JobColumn[] = [
  id,
  name,
  user,
  { id: 'state', head: 'State', width: '5rem', text: true, cell: (j) => j.state },
  { id: 'gpus', head: 'GPUs', width: '4.2rem', title: 'that it holds; in brackets what was asked for, where that differs', cell: (j) => (j.gpus === j.asked || j.state === 'starting' ? fixed(j.asked, 0) : `${fixed(j.gpus, 0)} (${fixed(j.asked, 0)})`) },
  { id: 'nodes', head: 'Nodes', width: 'minmax(4.5rem, 0.8fr)', text: true, cell: (j) => <span title={j.nodes}>{j.nodes || '–'}</span> },
  { id: 'started', head: 'Runs for', width: '6.2rem', cell: (j, now) => between(j.started, now) },
  { id: 'expectedEnd', head: 'Ends', unit: 'UTC, expected', width: '7.2rem', cell: (j, now) => clock(j.expectedEnd, now) },
  deadline,
  { id: 'clock', head: 'Clock', unit: 'MHz', width: '4.4rem', cell: (j) => (j.clock === null ? '–' : fixed(j.clock, 0)) },
  kind,
  why,
];

/// Jobs that wait.
export const queuedColumns: JobColumn[] = [
  id,
  name,
  user,
  { id: 'asked', head: 'GPUs', unit: 'asked for', width: '5.5rem', cell: (j) => fixed(j.asked, 0) },
  { id: 'submitted', head: 'Waits for', width: '6.5rem', cell: (j, now) => between(j.submitted, now) },
  deadline,
  { id: 'priority', head: 'Priority', width: '5.5rem', cell: (j) => (j.priority === null ? '–' : fixed(j.priority, 0)) },
  partition,
  kind,
  why,
];

function Deadline({ job, now }: { job: Job; now: number }) {
  const late = job.deadline !== null && job.deadline < Math.max(now, job.expectedEnd ?? 0);
  return (
    <span class={late ? 'bad' : ''} title={late ? 'it will be late, or is' : ''}>
      {late && <span aria-label="late ">▲ </span>}
      {clock(job.deadline, now)}
    </span>
  );
}
