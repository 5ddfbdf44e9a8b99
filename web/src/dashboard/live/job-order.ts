import type { Job, JobStore } from './jobs';

export type SortKey = 'id' | 'name' | 'user' | 'partition' | 'state' | 'gpus' | 'asked' | 'nodes' | 'clock' | 'submitted' | 'started' | 'expectedEnd' | 'deadline' | 'priority' | 'kind' | 'why';

export interface Wanted {
  queued: boolean;
  /// Lower-case words, all of which a job must have.
  query: string;
  sort: { id: SortKey; down: boolean };
}

/// Whether a job waits; the others have GPUs, or are about to.
export const waits = (job: Job) => job.state === 'queued';

/// The jobs of one table in their order. It begins with the last order, which is nearly right: then sorting is quick.
export class JobOrder {
  private last: Job[] = [];

  of(store: JobStore, wanted: Wanted): Uint32Array {
    const words = wanted.query.split(/\s+/).filter(Boolean);
    const wants = (job: Job) => waits(job) === wanted.queued && words.every((word) => job.words.includes(word));
    const jobs = this.candidates(store, wants);
    jobs.sort(compare(wanted.sort.id, wanted.sort.down ? -1 : 1));
    this.last = jobs;
    return Uint32Array.from(jobs, (job) => job.slot);
  }

  /// Those that were there before in their order, then new ones.
  private candidates(store: JobStore, wants: (job: Job) => boolean): Job[] {
    const jobs: Job[] = [];
    const had = new Set<Job>();
    for (const job of this.last)
      if (store.slots[job.slot] === job && wants(job)) {
        jobs.push(job);
        had.add(job);
      }
    for (const job of store.all()) if (!had.has(job) && wants(job)) jobs.push(job);
    return jobs;
  }
}

/// What is not known comes last either way; equals by their ids.
function compare(key: SortKey, sign: 1 | -1): (a: Job, b: Job) => number {
  return (a, b) => {
    const x = a[key];
    const y = b[key];
    if (key !== 'id' && x !== y) {
      if (x === null || x === '') return 1;
      if (y === null || y === '') return -1;
      return x < y ? -sign : sign;
    }
    return byPlace(a, b) * (key === 'id' ? sign : 1);
  };
}

/// "east/9" comes before "east/10".
function byPlace(a: Job, b: Job): number {
  if (a.site !== b.site) return a.site < b.site ? -1 : 1;
  if (a.number !== b.number) return a.number < b.number ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
