// Makes reports up for tests, benchmarks and looking at: `node tests/make-report.mjs [small|sites|philly|one|empty|many] TEMPLATE OUT`.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Blob_, filled, none16, none32, packed } from './pack.mjs';
import { carbonAt, makeJobs, priceAt, random, schedule } from './world.mjs';

const definitions = {
  jobs_submitted: '[jobs] Jobs that entered the system.', jobs_finished: '[jobs] Jobs that left the system, completed or killed; all means and percentiles are over these.',
  jct_mean_s: '[s] Mean job completion time, which is finish minus submission.', jct_p50_s: '[s] Median job completion time by nearest rank.', jct_p95_s: '[s] 95th percentile of the job completion time, counted like the median.',
  wait_mean_s: '[s] Mean of first start minus submission; time back in the queue after a preemption is not in it.', bounded_slowdown_mean: '[ratio] Mean of max(1, (finish - submission) / max(held, 10 s)).',
  makespan_s: '[s] First submission to last finish.', gpu_utilization: '[ratio] GPU-time held by jobs divided by owned GPUs times makespan.', energy_kwh: '[kWh] Energy of all sites: jobs, idle GPUs and nodes, cooling (PUE) included.',
  energy_cost: '[money] What the energy of the sites cost at each one\'s price at each moment.', rent_cost: '[money] What nodes with a table of rent cost while awake; null if there are none.', total_cost: '[money] energy_cost + rent_cost + carbon_cost + tardiness_cost + transfer_cost, where null counts as 0.',
  carbon_kg: '[kg] CO2 equivalent of energy_kwh at each site\'s carbon intensity at each moment.', tardiness_mean_s: '[s] Mean of max(0, finish - deadline) over finished jobs with a deadline; null if there are none.', tardiness_cost: '[money] Sum of tardiness times the job\'s own weight.',
  deadline_misses: '[jobs] Finished jobs that ended after their deadline.', preemptions: '[times] How often a policy stopped a running job that later went on.', utility: '[ratio] gpu_utilization minus relative costs; null without jobs that have a home.',
  bound_jct_mean_s: '[s] Mean completion time that no policy could go below.', bound_energy_kwh: '[kWh] Energy that no policy could go below.', bound_total_cost: '[money] Total cost that no policy could go below.',
  gap_jct: '[ratio] jct_mean_s divided by bound_jct_mean_s, minus 1.', gap_energy: '[ratio] energy_kwh divided by bound_energy_kwh, minus 1.', gap_cost: '[ratio] total_cost divided by bound_total_cost, minus 1.',
  prediction_error: '[ratio] How far predicted_cost is from what these jobs really paid, divided by it.', decision_mean_us: '[us] Mean wall-clock time of one decision.', wall_s: '[s] Wall-clock time of the run.', jobs_per_s: '[jobs/s] jobs_finished divided by wall_s.',
};

const policies = [
  { label: 'fifo', policy: 'fifo', look: 2, cut: 1, clock: 1 },
  { label: 'fifo backfill=easy', policy: 'fifo', options: { backfill: 'easy' }, look: 4, cut: 1, clock: 1 },
  { label: 'las', policy: 'las', look: 8, cut: 6, clock: 1 },
  { label: 'powerflow energy_budget=40kWh/h', policy: 'powerflow', look: 12, cut: 9, clock: 0.62, learned: true },
  { label: 'mars', policy: 'mars', look: 16, cut: 3, clock: 0.9, learned: true },
  { label: 'andreas', policy: 'andreas', look: 24, cut: 4, clock: 0.78 },
];

export const sizes = {
  small: { jobs: 600, days: 4, gpus: 64, sites: 1, runs: 6, step: 600, load: 0.7 },
  sites: { jobs: 1500, days: 5, gpus: 320, sites: 4, runs: 4, step: 600, load: 0.65 },
  philly: { jobs: 82247, days: 75, gpus: 2490, sites: 1, runs: 6, step: 3600, load: 0.62, cutMore: 10 },
  one: { jobs: 80, days: 1, gpus: 16, sites: 1, runs: 1, step: 300, load: 0.6 },
  empty: { jobs: 0, days: 1, gpus: 16, sites: 1, runs: 2, step: 600, load: 0.5 },
  many: { jobs: 60, days: 1, gpus: 32, sites: 1, runs: 1200, step: 1800, load: 0.7 },
  manysites: { jobs: 900, days: 2, gpus: 16 * 300, sites: 300, runs: 2, step: 3600, load: 0.4 },
};

/// Head and blob of a made-up report.
export function make(size) {
  const { jobs: n, days, gpus, sites: siteCount, runs: runCount, step, load, cutMore = 0 } = sizes[size];
  const blob = new Blob_();
  const texts = ['', 'resnet50', 'bert', 'gpt2', 'vit', 'lstm'];
  const textAt = new Map();
  const text = (t) => textAt.get(t) ?? (textAt.set(t, texts.length), texts.push(t) - 1);
  const per = Math.floor(gpus / siteCount);
  const sites = Array.from({ length: siteCount }, (_, i) => ({ name: siteCount === 1 ? 'main' : ['hamina', 'dublin', 'quebec', 'mumbai'][i] ?? `site-${i}`, first: i * per, gpus: per }));
  const jobs = makeJobs({ jobs: n, days, sites: siteCount, seed: 7, load, gpus });
  if (jobs.length > 20) {
    jobs[3].name = '<img src=x onerror="globalThis.hacked=1">';
    jobs[4].name = '</script><script>globalThis.hacked=1</script>';
    jobs[5].name = '=cmd|\' /C calc\'!A0';
  }
  const r = random(3);
  const populations = [{ rows: n, columns: {
    name: blob.column('i32s', jobs.map((j) => text(j.name))), kind: blob.column('i32s', jobs.map(() => 1 + Math.floor(r() * 5))), user: blob.column('i32s', jobs.map((j) => text(`user${j.user}`))),
    home: siteCount > 1 ? blob.column('i32s', jobs.map((j) => text(sites[j.home].name))) : { enc: 'const', rows: n, value: 0 },
    submitted: blob.column('i32ds', jobs.map((j) => j.submitted)), gpus: blob.column('i16s', jobs.map((j) => j.gpus)), requested: blob.column('i32s', jobs.map((j) => j.work * 2)),
    deadline: blob.column('i32s', jobs.map((j) => j.deadline ?? none32)),
  } }];
  const runs = [];
  for (let k = 0; k < runCount; ++k) {
    const base = policies[k % policies.length];
    const policy = k < policies.length ? base : { ...base, look: 1 + (k % 23), clock: 0.5 + ((k * 7) % 50) / 100, label: `${base.label} x=${k}` };
    runs.push(makeRun({ policy: { ...policy, cut: policy.cut + cutMore, seed: 100 + k, roam: siteCount > 1 ? 0.15 + 0.2 * (k % 4) : 0 }, k, jobs, sites, gpus, blob, text, step, columns: k < 40 }));
  }
  const head = {
    format: 'penstock-report', version: 1, made_by: '0.1.0', made_at: null, baseline: 0, notes: ['These numbers are made up to test the page.'],
    inputs: [{ dir: `out/${size}`, version: '0.1.0', scenario: `made-up-${size}`, scenario_hash: '5b0c9a1f77de42aa', seed: 7, currency: 'EUR', definitions, point: null }],
    texts, runs, populations, pareto: [{ x: 'energy_kwh', y: 'jct_mean_s' }, { x: 'total_cost', y: 'tardiness_mean_s' }, { x: 'carbon_kg', y: 'wait_mean_s' }],
    sweep: size === 'many' ? { keys: ['policy.clock'], values: [runs.map((_, k) => (k % 5 ? k : null))] } : null,
  };
  return { head, blob };
}

function makeRun({ policy, k, jobs, sites, gpus, blob, text, step, columns }) {
  const { done, stretches } = schedule(jobs, sites, policy);
  const r = random(50 + k);
  const n = jobs.length;
  const watts = 60 + 240 * policy.clock ** 2.2;
  const energy = jobs.map((j, i) => (done[i].took * j.gpus * watts * 1.3) / 3.6e6);
  const cost = jobs.map((_, i) => energy[i] * priceAt(done[i].site, done[i].start));
  const carbon = jobs.map((_, i) => (energy[i] * carbonAt(done[i].site, done[i].start)) / 1000);
  const wait = jobs.map((j, i) => done[i].start - j.submitted);
  const late = jobs.map((j, i) => (j.deadline === null ? null : Math.max(0, wait[i] + done[i].took - j.deadline)));
  const never = (i) => n > 50 && i % 97 === 96;
  const jct = jobs.map((_, i) => wait[i] + done[i].took).filter((_, i) => !never(i)).sort((a, b) => a - b);
  const mean = (list) => (list.length ? list.reduce((a, b) => a + b, 0) / list.length : null);
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  const end = jobs.reduce((m, _, i) => Math.max(m, done[i].start + done[i].took), 0);
  const lates = late.filter((x) => x !== null);
  const summary = {
    policy: policy.policy, jobs_submitted: n, jobs_finished: jct.length, jct_mean_s: mean(jct), jct_p50_s: jct[jct.length >> 1] ?? null, jct_p95_s: jct[Math.floor(jct.length * 0.95)] ?? null, wait_mean_s: mean(wait),
    bounded_slowdown_mean: n ? mean(jobs.map((_, i) => Math.max(1, (wait[i] + done[i].took) / Math.max(10, done[i].took)))) : null, makespan_s: end || null,
    gpu_utilization: end ? sum(jobs.map((j, i) => j.gpus * done[i].took)) / (gpus * end) : null, energy_kwh: sum(energy) * 1.2 + (gpus * end * 40) / 3.6e6, energy_cost: sum(cost) * 1.2, rent_cost: null, total_cost: sum(cost) * 1.2 + sum(lates) * 0.0004,
    carbon_kg: sum(carbon) * 1.2, tardiness_mean_s: mean(lates), deadline_misses: lates.filter((x) => x > 0).length, preemptions: stretches.filter((s) => s.end === 2).length, utility: sites.length > 1 ? 0.2 - 0.1 * k : null,
    prediction_error: policy.learned ? 0.083 : null, decision_mean_us: 12.5 + k, wall_s: 1.9, jobs_per_s: jct.length / 1.9,
  };
  if (n && k < 6) Object.assign(summary, bounds(summary));
  const undef = (list, none) => list.map((v, i) => (never(i) || v === null ? none : v));
  const block = (c) => (columns ? { rows: n, columns: c() } : null);
  const f = (list) => blob.column('f32s', undef(list, NaN));
  return {
    input: 0, label: policy.label, policy: policy.policy, options: policy.options ?? {}, summary, time_origin: n ? '2017-10-03T08:00:00Z' : null, time_unit_s: 1, population: 0,
    sites: sites.map((s) => ({ name: s.name, nodes: Math.ceil(s.gpus / 8), gpus: s.gpus, first_gpu: s.first, node_gpus: s.gpus % 8 ? [[Math.floor(s.gpus / 8), 8, 'P100', 24], [1, s.gpus % 8, 'P40', 24]] : [[s.gpus / 8, 8, 'A100', 4]] })),
    jobs: block(() => {
      const run = blob.column('i32s', undef(done.map((d) => d.took), none32));
      return {
        wait: blob.column('i32s', undef(wait, none32)), run, held: { enc: run.enc, rows: n, same_as: [k, 'jobs', 'run'] }, gpus: f(jobs.map((j) => j.gpus)), clock: f(done.map((d) => d.clock)), energy: f(energy), cost: f(cost), carbon: f(carbon),
        predicted: policy.learned ? f(cost.map((c) => c * Math.exp((r() + r() + r() - 1.5) * 0.4))) : { enc: 'const', rows: n, value: null }, tardiness: blob.column('i32s', undef(late, none32)),
        restarts: blob.column('u8', done.map((d) => Math.min(255, d.pieces - 1))), site: blob.column('u8', done.map((d) => d.site % 256)), killed: blob.column('u8', done.map((_, i) => (i % 41 === 40 ? 1 : 0))),
      };
    }),
    stretches: columns ? { rows: stretches.length, left_out: 0, columns: {
      job: blob.column('i32s', stretches.map((s) => s.job)), from: blob.column('i32ds', stretches.map((s) => s.from)), length: blob.column('i32s', stretches.map((s) => s.length)), gpu: blob.column('i32s', stretches.map((s) => s.gpu)),
      count: blob.column('i16s', stretches.map((s) => s.count)), clock: blob.column('i16s', stretches.map((s) => (s.clock > 1400 ? none16 : s.clock))), end: blob.column('u8', stretches.map((s) => s.end)),
    } } : null,
    timeline: columns ? { sites: timelines({ jobs, done, sites, end, step, watts, blob, wait }) } : null,
    reasons: columns && policy.policy === 'mars' && n ? reasons(end, blob, text, r) : columns ? { rows: 0, columns: {} } : null,
    flows: sites.length > 1 ? flows(jobs, done, sites) : [],
    budget: policy.policy === 'powerflow' ? { watts: gpus * 200, text: `${(gpus * 0.2).toFixed(0)} kWh/h` } : null,
training: policy.policy === 'mars' ? training(r) : null,
  };
}

function bounds(s) {
  const bound = { bound_jct_mean_s: s.jct_mean_s / (1.1 + s.jct_mean_s / 4e5), bound_energy_kwh: s.energy_kwh / 1.32, bound_total_cost: s.total_cost / 1.6 };
  return { ...bound, gap_jct: s.jct_mean_s / bound.bound_jct_mean_s - 1, gap_energy: 0.32, gap_cost: 0.6 };
}

function timelines({ jobs, done, sites, end, step, watts, blob, wait }) {
  const rows = Math.floor(end / step) + 1;
  const queued = new Int32Array(rows + 1);
  jobs.forEach((j, i) => {
    if (wait[i] <= 0) return;
    queued[Math.ceil(j.submitted / step)] += 1;
    queued[Math.min(rows, Math.ceil(done[i].start / step))] -= 1;
  });
  for (let i = 1; i < rows; ++i) queued[i] += queued[i - 1];
  return sites.map((site, s) => {
    const busy = new Int32Array(rows + 1);
    const running = new Int32Array(rows + 1);
    jobs.forEach((j, i) => {
      if (done[i].site !== s) return;
      const a = Math.ceil(done[i].start / step);
      const b = Math.min(rows, Math.ceil((done[i].start + done[i].took) / step));
      busy[a] += j.gpus;
      busy[b] -= j.gpus;
      running[a] += 1;
      running[b] -= 1;
    });
    for (let i = 1; i < rows; ++i) {
      busy[i] += busy[i - 1];
      running[i] += running[i - 1];
    }
    const at = Array.from({ length: rows }, (_, i) => i * step);
    return { site: s, rows, columns: {
      time: blob.column('i32ds', at), busy: blob.column('i32s', [...busy.slice(0, rows)]), idle: blob.column('i32s', [...busy.slice(0, rows)].map((b) => site.gpus - b)), sleeping: { enc: 'const', rows, value: 0 },
      queued: blob.column('i32s', [...queued.slice(0, rows)]), running: blob.column('i32s', [...running.slice(0, rows)]), power: blob.column('f32s', at.map((_, i) => (busy[i] * watts + (site.gpus - busy[i]) * 45) * 1.3)),
      price: blob.column('f32s', at.map((t) => priceAt(s, t))), carbon: blob.column('f32s', at.map((t) => carbonAt(s, t))), cap: s === 0 ? { enc: 'const', rows, value: site.gpus * 330 } : { enc: 'const', rows, value: null },
    } };
  });
}

function reasons(end, blob, text, r) {
  const names = ['sjf, room for short jobs', 'f1', 'least work left', 'network 3 (short jobs first)', 'fifo backfill=easy'];
  const time = [];
  const what = [];
  for (let t = 0; t < end; t += 1800 + r() * 30000) {
    time.push(Math.floor(t));
    what.push(text(names[Math.floor(r() * names.length)]));
  }
  return { rows: time.length, columns: { time: blob.column('i32ds', time), text: blob.column('i32s', what) } };
}

function training(r) {
  const steps = Array.from({ length: 60 }, (_, i) => i * 100);
  const learned = (speed) => steps.map((_, i) => (i === 3 ? null : -2 * Math.exp(-i / speed) - 0.3 + 0.1 * r()));
  return { file: 'mars.weights.csv', names: { network: ['sjf', 'f1'] }, columns: {
    network: [...steps.map(() => 0), ...steps.map(() => 1)], update: [...steps, ...steps], mean_return: [...learned(15), ...learned(9)], validation_return: [...learned(18), ...learned(11)],
  } };
}

function flows(jobs, done, sites) {
  const all = new Map();
  jobs.forEach((j, i) => {
    const key = j.home * sites.length + done[i].site;
    const f = all.get(key) ?? { from: sites[j.home].name, to: sites[done[i].site].name, jobs: 0, gb: 0, gpu_hours: 0 };
    f.jobs += 1;
    f.gb += j.home === done[i].site ? 0 : 20;
    f.gpu_hours += (j.gpus * done[i].took) / 3600;
    all.set(key, f);
  });
  return [...all.values()];
}

/// A whole page with a made-up report in it.
export function makePage(size, template) {
  const { head, blob } = make(size);
  return filled(template, packed(head, blob));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [size, template, out] = process.argv.slice(2);
  writeFileSync(out, makePage(size, readFileSync(template, 'utf8')));
}
