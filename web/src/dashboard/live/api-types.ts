// What the daemon answers: docs/formats/api.md. Only what the page uses.

export interface DaemonState {
  version: string;
  mode: 'shadow' | 'fenced' | 'live';
  policy: { name: string; options: Record<string, string> };
  since: string;
  now: string;
  acting: boolean;
  paused: boolean;
  why_not: string[];
  jobs: { queued: number; running: number; ended: number };
  sites: string[];
  decisions: number;
}

export interface Standing {
  ok: boolean;
  text: string;
  since: string | null;
}

export interface AheadStep {
  from: string;
  price: number;
  carbon_g_per_kwh: number;
}

export interface SiteShown {
  name: string;
  nodes: number;
  nodes_down: number;
  nodes_asleep: number;
  gpus: number;
  busy_gpus: number;
  queued: number;
  running: number;
  power_w: number;
  cap_w: number | null;
  budget_w: number | null;
  price: number;
  price_unit: string | null;
  carbon_g_per_kwh: number;
  energy_j: number;
  cost: number;
  currency: string | null;
  carbon_g: number;
  acting: boolean;
  why_not: string[];
  failed_open: boolean;
  backend: Standing;
  signals: Standing;
  ahead: AheadStep[];
  foretold_until: string | null;
}

export interface History {
  every_s: number;
  from: string | null;
  sites: { name: string; power_w: (number | null)[]; busy_gpus: (number | null)[] }[];
}

/// /api/v1/jobs?format=columns: a list for each column, all of one length.
export interface JobColumns {
  total: number;
  event: number;
  columns: {
    id: string[];
    name: string[];
    user: string[];
    partition: string[];
    state: string[];
    gpus: number[];
    gpus_asked: number[];
    nodes: string[];
    clock_mhz: (number | null)[];
    submitted_ms: (number | null)[];
    started_ms: (number | null)[];
    expected_end_ms: (number | null)[];
    ended_ms: (number | null)[];
    deadline_ms: (number | null)[];
    priority: (number | null)[];
    kind: string[];
    why: string[];
  };
}

/// A job as in /api/v1/jobs and in events.
export interface JobRow {
  id: string;
  name: string | null;
  user: string | null;
  partition: string | null;
  state: string;
  gpus: number;
  gpus_asked: number;
  nodes: string[];
  clock_mhz: number | null;
  submitted: string | null;
  started: string | null;
  expected_end: string | null;
  ended: string | null;
  deadline: string | null;
  priority: number | null;
  kind: string;
  why: string;
}

export interface LifeLine {
  when: string;
  what: string;
  text: string;
  reason: string;
}

export interface JobLife {
  job: Partial<JobRow> & { id: string; state: string };
  life: LifeLine[];
}

export interface DecisionShown {
  id: number;
  when: string;
  site: string;
  job: number | null;
  action: string;
  text: string;
  reason: string;
  state: string;
  answer: string | null;
}

export interface Saved {
  value: number;
  low: number;
  high: number;
  percent: number | null;
}

export interface Savings {
  mode: string;
  policy: string;
  former: string;
  currency: string | null;
  jobs: number;
  from: string | null;
  until: string | null;
  happened: Record<string, number | null>;
  former_would: Record<string, number | null>;
  policy_would: Record<string, number | null>;
  saved: Record<string, Saved | null> | null;
  model_error: Record<string, number | null>;
  method: string;
  notes: string[];
}
