// The dashboard over a real `penstock serve` with 1,000 running and 10,000 waiting jobs: how long the daemon takes to tell all of
// them, how long from an event to the changed page, and what 10,000 events leave in the page's memory.
//   node bench/dashboard.mjs [FOLDER OF THE PROGRAMS] [EVENTS]      (default: ../build/release, 10000)
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { launchOptions } from './browser.mjs';

const built = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../../build/release'));
const wanted = Number(process.argv[3] ?? 10_000);
const seconds = 40;
for (const name of ['penstock', 'fake_bridge'])
  if (!existsSync(join(built, name))) {
    console.error(`dashboard: ${join(built, name)} is not built`);
    process.exit(1);
  }

const share = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))];
const told = (values) => `median ${share(values, 0.5).toFixed(1)} ms, p95 ${share(values, 0.95).toFixed(1)}, longest ${Math.max(...values).toFixed(1)} (${values.length} times)`;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

/// 125 nodes of 8 GPUs, 10,000 jobs that wait, each running for `seconds` on average.
async function startDaemon(folder) {
  const port = await freePort();
  writeFileSync(join(folder, 'bridge'), `#!/bin/sh\nexec '${join(built, 'fake_bridge')}' '${join(folder, 'figures')}' 125 8 10000 1000000 ${seconds}\n`, { mode: 0o755 });
  writeFileSync(
    join(folder, 'serve.toml'),
    `[serve]\nlisten = "127.0.0.1:${port}"\njournal = "journal.db"\nmode = "live"\n[[site]]\nname = "east"\nprice = { fixed = "0.2 EUR/kWh" }\ncap = { fixed = "600 kW" }
[site.slurm]\nbridge = "${join(folder, 'bridge')}"\n[policy]\nname = "fifo"\n`,
  );
  const daemon = spawn(join(built, 'penstock'), ['serve', join(folder, 'serve.toml')], { stdio: ['ignore', 'ignore', 'ignore'] });
  const url = `http://127.0.0.1:${port}/`;
  for (let i = 0; i < 600; ++i) {
    const state = await fetch(`${url}api/v1/state`).then((a) => a.json()).catch(() => null);
    if (state?.jobs.running >= 950) return { daemon, url };
    await sleep(200);
  }
  throw new Error('the cluster was not filled');
}

/// How long the daemon takes to tell all jobs.
async function askJobs(url, query) {
  const took = [];
  let bytes = 0;
  for (let i = 0; i < 20; ++i) {
    await sleep(250); // it keeps a page for 200 ms
    const begun = performance.now();
    bytes = (await (await fetch(`${url}api/v1/jobs?${query}`)).arrayBuffer()).byteLength;
    took.push(performance.now() - begun);
  }
  console.log(`/api/v1/jobs?${query}: ${told(took)}, ${(bytes / 1e6).toFixed(2)} MB`);
}

/// Put into the page before its own code: when events came, and when the page showed them.
function watch() {
  const seen = (window.seen = { events: 0, late: [], long: [] });
  const due = new Map();
  const decode = TextDecoder.prototype.decode;
  TextDecoder.prototype.decode = function (...given) {
    const text = decode.apply(this, given);
    const now = performance.now();
    seen.events += text.split('\nevent: ').length - 1 + (text.startsWith('event: ') ? 1 : 0);
    for (const [, id] of text.matchAll(/"id":"([^"]+)","state":"running"/g)) due.set(id, now);
    return text;
  };
  const look = () => {
    const now = performance.now();
    for (const cell of document.querySelectorAll('#jobs .jobs:nth-of-type(2) [role=rowheader]')) {
      const came = due.get(cell.textContent);
      if (came === undefined) continue;
      due.delete(cell.textContent);
      seen.late.push(now - came);
    }
    due.clear(); // the tables were drawn, and the rest is below what is seen of them
  };
  const follow = () => {
    const jobs = document.getElementById('jobs');
    if (jobs) new MutationObserver(look).observe(jobs, { childList: true, subtree: true, characterData: true });
    else setTimeout(follow, 100);
  };
  addEventListener('DOMContentLoaded', follow);
  new PerformanceObserver((list) => seen.long.push(...list.getEntries().map((e) => e.duration))).observe({ type: 'longtask' });
}

const folder = mkdtempSync(join(tmpdir(), 'penstock-bench-'));
const { daemon, url } = await startDaemon(folder);
const browser = await chromium.launch(launchOptions);
try {
  await askJobs(url, 'format=columns');
  await askJobs(url, 'limit=10000');
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  await page.addInitScript(watch);
  const begun = performance.now();
  await page.goto(url);
  await page.waitForFunction(() => /Queue [\d,]{5,}/.test(document.querySelector('#jobs')?.textContent ?? ''));
  console.log(`the page shows all jobs after ${(performance.now() - begun).toFixed(0)} ms`);
  const debug = await page.context().newCDPSession(page);
  const heap = async () => {
    for (let i = 0; i < 3; ++i) await debug.send('HeapProfiler.collectGarbage');
    return (await debug.send('Runtime.getHeapUsage')).usedSize / 1e6;
  };
  await sleep(10_000); // everything has been drawn a few times
  await page.evaluate(() => ((window.seen.long.length = 0), (window.seen.late.length = 0), (window.seen.events = 0)));
  const before = await heap();
  const steps = [];
  const first = performance.now();
  for (let tenth = 1; tenth <= 10; ++tenth) {
    await page.waitForFunction((n) => window.seen.events >= n, (wanted * tenth) / 10, { timeout: 600_000, polling: 500 });
    steps.push(await heap());
  }
  const took = (performance.now() - first) / 1000;
  const { late, long, events } = await page.evaluate(() => window.seen);
  console.log(`event to changed page: ${told(late)}`);
  console.log(`tasks of the page over 50 ms: ${long.length ? told(long) : 'none'}`);
  console.log(`${events} events in ${took.toFixed(0)} s; heap before ${before.toFixed(1)} MB, at each tenth: ${steps.map((s) => s.toFixed(1)).join(' ')}`);
} finally {
  await browser.close();
  daemon.kill('SIGTERM');
  await new Promise((done) => daemon.once('exit', done));
  rmSync(folder, { recursive: true, force: true });
}
