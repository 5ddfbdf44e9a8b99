// The head of a report, as docs/formats/report.md has it.

export type Encoding = 'u8' | 'i16s' | 'i32s' | 'i32ds' | 'f32s' | 'f32' | 'const';

/// Where a column's bytes are and how they are to be read.
export interface Column {
  enc: Encoding;
  rows: number;
  at?: number;
  value?: number | null;
  same_as?: [number, string, string];
}

export type Columns = Record<string, Column>;
export interface Block {
  rows: number;
  columns: Columns;
}

export type Measures = Record<string, number | null>;
/// [nodes, GPUs of each, type of GPU, nodes of a rack], nodes of one kind after the other.
export type NodeRuns = [number, number, string, number][];

export interface Site extends Record<string, unknown> {
  name: string;
  gpus?: number;
  nodes?: number;
  first_gpu?: number;
  node_gpus?: NodeRuns;
}

export interface Flow {
  from: string;
  to: string;
  jobs: number;
  gb: number | null;
  gpu_hours: number | null;
}

export interface Run {
  input: number;
  label: string;
  policy: string;
  options: Record<string, string>;
  summary: Record<string, unknown>;
  sites: Site[];
  time_origin: string | null;
  time_unit_s: number;
  population: number | null;
  jobs: Block | null;
  stretches: (Block & { left_out?: number }) | null;
  timeline: { sites: (Block & { site: number; thinned?: number })[] } | null;
  reasons: Block | null;
  flows: Flow[];
  budget: { watts: number; text: string } | null;
  /// With `names`, the numbers of a column are places in a list of words.
  training: { file: string; columns: Record<string, (number | null)[]>; names?: Record<string, string[]> } | null;
}

export interface Input {
  dir: string;
  version: string;
  scenario: string;
  scenario_hash: string;
  seed: number | string;
  currency: string;
  definitions: Record<string, string>;
  point: unknown;
}

export interface Head {
  format: string;
  version: number;
  made_by: string;
  made_at: string | null;
  baseline: number;
  notes: string[];
  inputs: Input[];
  texts: string[];
  runs: Run[];
  populations: Block[];
  pareto: { x: string; y: string }[];
  sweep: { keys: string[]; values: unknown[][] } | null;
}

/// The newest version of the format that this page can read.
export const newest = 1;

/// Why a report cannot be shown, in a sentence for its reader.
export class Unreadable extends Error {}

const list = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

/// Checks what everything else relies on, and fills in what may be absent.
export function checkedHead(json: unknown): Head {
  const head = json as Head;
  if (typeof head !== 'object' || head === null || head.format !== 'penstock-report') throw new Unreadable('The data inside is not of a Penstock report.');
  if (typeof head.version !== 'number' || head.version < 1) throw new Unreadable('The report does not say which version of the format it has.');
  if (head.version > newest)
    throw new Unreadable(`The data has version ${head.version} of the format, and this page reads versions up to ${newest}. Make the report again with one and the same Penstock.`);
  if (!Array.isArray(head.runs) || !Array.isArray(head.inputs)) throw new Unreadable('The head of the report names no runs.');
  head.notes = list<string>(head.notes);
  head.texts = list<string>(head.texts);
  head.populations = list<Block>(head.populations);
  head.pareto = list(head.pareto);
  head.baseline = head.runs[head.baseline] ? head.baseline : 0;
  for (const run of head.runs) {
    run.sites = list<Site>(run.sites);
    run.flows = list<Flow>(run.flows);
    run.summary ??= {};
    run.options ??= {};
    run.time_unit_s = run.time_unit_s > 0 ? run.time_unit_s : 1;
    run.label = String(run.label ?? run.policy ?? '?');
  }
  return head;
}
