// Jobs made up, as the daemon would tell them.
import type { JobColumns, JobRow } from '../../../src/dashboard/live/api-types';

type Some = { id: string; state?: string; name?: string; submitted?: number | null; gpus_asked?: number };

export function columns(rows: Some[]): JobColumns {
  const all = <T>(of: (row: Some) => T) => rows.map(of);
  return {
    total: rows.length,
    event: 0,
    columns: {
      id: all((r) => r.id),
      name: all((r) => r.name ?? 'train'),
      user: all(() => 'ada'),
      partition: all(() => 'gpu'),
      state: all((r) => r.state ?? 'queued'),
      gpus: all(() => 0),
      gpus_asked: all((r) => r.gpus_asked ?? 1),
      nodes: all(() => ''),
      clock_mhz: all(() => null),
      submitted_ms: all((r) => r.submitted ?? null),
      started_ms: all(() => null),
      expected_end_ms: all(() => null),
      ended_ms: all(() => null),
      deadline_ms: all(() => null),
      priority: all(() => null),
      kind: all(() => ''),
      why: all(() => ''),
    },
  };
}

export function row(id: string, state: string): JobRow {
  return {
    id, state, name: 'train', user: 'ada', partition: 'gpu', gpus: 2, gpus_asked: 2, nodes: ['n1', 'n2'], clock_mhz: null, submitted: '2026-03-01T10:00:00Z',
    started: null, expected_end: null, ended: null, deadline: null, priority: null, kind: '', why: '',
  };
}
