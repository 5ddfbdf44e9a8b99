import type { Input, Run } from './head';

export type Better = 'lower' | 'higher' | 'neither';

/// What is known of a measure of summary.json.
export interface Measure {
  name: string;
  head: string;
  unit: string;
  better: Better;
  text: string;
}

const heads: Record<string, string> = {
  jct_mean_s: 'mean JCT', jct_p50_s: 'median JCT', jct_p95_s: 'p95 JCT', jct_p99_s: 'p99 JCT', wait_mean_s: 'mean wait',
  bounded_slowdown_mean: 'slowdown', makespan_s: 'makespan', gpu_utilization: 'GPU util', energy_kwh: 'energy', energy_budget_use: 'budget used', energy_cost: 'cost',
  rent_cost: 'rent', total_cost: 'total cost', carbon_kg: 'carbon', utility: 'utility', tardiness_mean_s: 'mean tardiness',
  deadline_misses: 'late', preemptions: 'preempted', jobs_finished: 'finished', jobs_submitted: 'submitted', jobs_killed: 'killed', jobs_unfinished: 'unfinished',
  gap_jct: 'JCT gap', gap_energy: 'energy gap', gap_cost: 'cost gap', gap_carbon: 'carbon gap', prediction_error: 'prediction error',
};
/// The columns of the table that `penstock simulate` prints, and total cost and tardiness.
export const important = [
  'jobs_unfinished', 'jct_mean_s', 'jct_p95_s', 'wait_mean_s', 'bounded_slowdown_mean', 'makespan_s', 'gpu_utilization', 'energy_kwh', 'energy_budget_use', 'energy_cost', 'rent_cost',
  'total_cost', 'carbon_kg', 'utility', 'gap_jct', 'gap_energy', 'gap_cost', 'tardiness_mean_s', 'deadline_misses', 'preemptions',
];
const higher = new Set(['jobs_finished', 'gpu_utilization', 'utility', 'jobs_per_s']);
const neither = new Set([
  'jobs_submitted', 'energy_budget_use', 'transfers', 'transfer_gb', 'predicted_cost', 'resizes', 'migrations', 'node_sleeps', 'decisions', 'events',
  'bound_jct_mean_s', 'bound_energy_kwh', 'bound_total_cost', 'bound_carbon_kg', 'bound_utility',
]);
const shares = /^(gpu_utilization|gap_.*|late_share|energy_budget_use|prediction_error.*|relative_.*)$/;

/// What `name` means, from the definitions of the report: "[unit] sentence".
export function measure(name: string, inputs: readonly Input[]): Measure {
  const definition = inputs.map((i) => i.definitions?.[name]).find((d) => d !== undefined) ?? '';
  const [, unit = '', text = definition] = /^\[([^\]]*)\]\s*(.*)$/s.exec(definition) ?? [];
  return {
    name,
    head: heads[name] ?? name.replace(/_(s|kwh|kg|gb|us|mb)$/, '').replaceAll('_', ' '),
    unit: shares.test(name) ? 'share' : unit,
    better: higher.has(name) ? 'higher' : neither.has(name) ? 'neither' : 'lower',
    text,
  };
}

/// A measure of a run as a number; NaN where it is null, absent or no number.
export function value(run: Run, name: string): number {
  const found = run.summary[name];
  return typeof found === 'number' ? found : NaN;
}

/// Every measure that some run has as a number, in the order of the files.
export function measuresOf(runs: readonly Run[]): string[] {
  const names = new Set<string>();
  for (const run of runs) for (const [name, v] of Object.entries(run.summary)) if (typeof v === 'number') names.add(name);
  return [...names];
}

/// The money's name for a unit "money"; any other unit stays.
export function spelled(unit: string, currency: string): string {
  return unit === 'money' ? currency || 'money' : unit;
}
