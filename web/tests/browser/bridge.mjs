// A small Slurm cluster behind the words of docs/formats/bridge.md: what the dashboard's tests let the daemon drive.
//   node bridge.mjs JOBS.json: jobs with name, user, gpus, seconds and perhaps comment; four nodes of four GPUs.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const began = Math.floor(Date.now() / 1000);
const nodes = ['n1', 'n2', 'n3', 'n4'];
const held = { held: true, state: 'pending', started: null, ended: null, nodes: [], gpus_held: [] };
const jobs = JSON.parse(readFileSync(process.argv[2], 'utf8')).map((job, i) => ({
  job: i + 1, ref: String(i + 1), partition: 'gpu', admin_comment: 'penstock: held', reason: 'none', batch: true, requeue: true, restarts: 0,
  submitted: began - 600 + i, eligible: began - 600 + i, time_limit_min: 600, node_count: 1, ...job, ...held,
}));

/// GPUs of a node that nobody has.
function free(node) {
  const taken = new Set(jobs.filter((j) => j.state === 'running').flatMap((j) => j.gpus_held.filter((h) => h.node === node).flatMap((h) => h.indices)));
  return [0, 1, 2, 3].filter((i) => !taken.has(i));
}

function start(job, { nodes: where, gpus_per_node: count }) {
  const found = where.map((node) => ({ node, type: 'a100', indices: free(node).slice(0, count) }));
  Object.assign(job, { held: false, state: 'running', started: Math.floor(Date.now() / 1000), nodes: where, gpus_held: found });
}

function passTime() {
  const now = Date.now() / 1000;
  for (const job of jobs)
    if (job.state === 'running' && now >= job.started + job.seconds) Object.assign(job, { state: 'completed', ended: Math.floor(now), gpus_held: [] });
}

const list = {
  hello: () => ({ protocol: 1, slurm: '22.05.8', cluster: 'east', user: 'root', message_timeout_s: 5 }),
  partitions: () => ({ partitions: [{ name: 'gpu' }] }),
  nodes: () => ({ last_update: began, nodes: nodes.map((name) => ({ name, state: 'idle', flags: [], gpus: [{ type: 'a100', total: 4 }], partitions: ['gpu'] })) }),
  jobs: ({ job }) => ({ last_update: Math.floor(Date.now() / 1000), jobs: jobs.filter((j) => job === undefined || j.ref === String(job)) }),
};
const deeds = {
  update: (job, request) => request.hold === false && request.nodes?.length && start(job, request),
  hold: (job) => void (job.held = true),
  release: (job) => void (job.held = false),
  requeue: (job) => void Object.assign(job, held),
  cancel: (job) => void Object.assign(job, { state: 'cancelled', ended: Math.floor(Date.now() / 1000), gpus_held: [] }),
};

function answer(request) {
  passTime();
  if (list[request.do]) return { ok: true, ...list[request.do](request) };
  const job = jobs.find((j) => j.ref === String(request.job));
  if (!job || !deeds[request.do]) return { ok: false, error: { code: 'refused', text: 'not here', slurm: 0 } };
  deeds[request.do](job, request);
  return { ok: true };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id: request.id, ...answer(request) })}\n`);
}
