import type { JobColumns, JobRow } from './api-types';

/// A job as the tables show it. Times are ms since 1970.
export interface Job {
  /// Its place in JobStore.slots for as long as it is known.
  slot: number;
  id: string;
  /// Both from the id: "east/" and 12.
  site: string;
  number: number;
  name: string;
  user: string;
  partition: string;
  state: string;
  gpus: number;
  asked: number;
  nodes: string;
  clock: number | null;
  submitted: number | null;
  started: number | null;
  expectedEnd: number | null;
  deadline: number | null;
  priority: number | null;
  kind: string;
  why: string;
  /// What a search looks into.
  words: string;
}

type Facts = Omit<Job, 'slot' | 'site' | 'number' | 'words'>;

/// All jobs that run or wait. Objects and places are used again, so that a page that is open for weeks stays small.
export class JobStore {
  readonly slots: (Job | undefined)[] = [];
  /// Counts changes.
  version = 0;
  private readonly byId = new Map<string, Job>();
  private readonly free: number[] = [];

  get size(): number {
    return this.byId.size;
  }

  find(id: string): Job | undefined {
    return this.byId.get(id);
  }

  all(): IterableIterator<Job> {
    return this.byId.values();
  }

  /// These are all there are.
  replace(answer: JobColumns): void {
    const seen = new Set(answer.columns.id);
    for (const id of this.byId.keys()) if (!seen.has(id)) this.remove(id);
    this.merge(answer);
  }

  /// These are as told now; of `asked`, those that are not told are gone.
  merge({ columns: c }: JobColumns, asked: Iterable<string> = []): void {
    const told = new Set(c.id);
    for (const id of asked) if (!told.has(id)) this.remove(id);
    for (let i = 0; i < c.id.length; ++i)
      this.put({
        id: c.id[i],
        name: c.name[i],
        user: c.user[i],
        partition: c.partition[i],
        state: c.state[i],
        gpus: c.gpus[i],
        asked: c.gpus_asked[i],
        nodes: c.nodes[i],
        clock: c.clock_mhz[i],
        submitted: c.submitted_ms[i],
        started: c.started_ms[i],
        expectedEnd: c.expected_end_ms[i],
        deadline: c.deadline_ms[i],
        priority: c.priority[i],
        kind: c.kind[i],
        why: c.why[i],
      });
  }

  /// One job, as an event tells it.
  take(row: JobRow): void {
    const time = (text: string | null) => (text === null ? null : Date.parse(text));
    this.put({
      id: row.id,
      name: row.name ?? '',
      user: row.user ?? '',
      partition: row.partition ?? '',
      state: row.state,
      gpus: row.gpus,
      asked: row.gpus_asked,
      nodes: row.nodes.join(' '),
      clock: row.clock_mhz,
      submitted: time(row.submitted),
      started: time(row.started),
      expectedEnd: time(row.expected_end),
      deadline: time(row.deadline),
      priority: row.priority,
      kind: row.kind,
      why: row.why,
    });
  }

  remove(id: string): void {
    const job = this.byId.get(id);
    if (!job) return;
    this.byId.delete(id);
    this.slots[job.slot] = undefined;
    this.free.push(job.slot);
    ++this.version;
  }

  private put(facts: Facts): void {
    if (facts.state === 'ended') return this.remove(facts.id);
    ++this.version;
    const known = this.byId.get(facts.id);
    const words = known && sameWords(known, facts) ? known.words : wordsOf(facts);
    if (known) return void Object.assign(known, facts, { words });
    const slot = this.free.pop() ?? this.slots.length;
    const job: Job = { slot, ...placeOf(facts.id), ...facts, words };
    this.slots[slot] = job;
    this.byId.set(facts.id, job);
  }
}

const sameWords = (a: Facts, b: Facts) => a.name === b.name && a.user === b.user && a.nodes === b.nodes && a.kind === b.kind && a.why === b.why && a.partition === b.partition;

function wordsOf({ id, name, user, partition, nodes, kind, why }: Facts): string {
  return `${id} ${name} ${user} ${partition} ${nodes} ${kind} ${why}`.toLowerCase();
}

/// "east/12" is job 12 of "east/"; what has no number comes last.
export function placeOf(id: string): { site: string; number: number } {
  const at = id.lastIndexOf('/') + 1;
  const number = parseInt(id.slice(at), 10);
  return { site: id.slice(0, at), number: Number.isNaN(number) ? Infinity : number };
}
