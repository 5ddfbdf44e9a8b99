import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const program = process.env.PENSTOCK ?? join(here, '../../../build/release/penstock');
export const hasProgram = existsSync(program);
export const secret = 'correct-horse-battery-staple';

export interface MadeJob {
  name: string;
  user: string;
  gpus: number;
  seconds: number;
  comment?: string;
}

export interface Told {
  jobs: MadeJob[];
  mode?: string;
  host?: string;
  policy?: string;
}

/// A real `penstock serve` over a cluster that is made up.
export class Daemon {
  private readonly folder = mkdtempSync(join(tmpdir(), 'penstock-dashboard-'));
  private process: ChildProcess | null = null;
  private port = 0;
  private said = '';
  constructor(private readonly told: Told) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  /// Starts it, or starts it again as it was, and waits until it has looked at its cluster.
  async start(): Promise<void> {
    if (this.port === 0) await this.write();
    this.process = spawn(program, ['serve', join(this.folder, 'serve.toml')], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.process.stderr!.on('data', (piece: Buffer) => (this.said = (this.said + piece.toString()).slice(-4000)));
    for (let i = 0; i < 100; ++i) {
      if (this.process.exitCode !== null) throw new Error(this.said);
      const answer = await fetch(`${this.url}api/v1/state`, { headers: { Authorization: `Bearer ${secret}` } }).catch(() => null);
      const jobs = answer?.ok ? ((await answer.json()) as { jobs: { running: number; queued: number } }).jobs : null;
      if (jobs && jobs.running + jobs.queued > 0) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`no jobs within 10 s: ${this.said}`);
  }

  async stop(): Promise<void> {
    const { process } = this;
    if (!process || process.exitCode !== null) return;
    const ended = new Promise((done) => process.once('exit', done));
    process.kill('SIGTERM');
    await ended;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async write(): Promise<void> {
    const { jobs, mode = 'live', host = '127.0.0.1', policy = 'name = "fifo"\nbackfill = "easy"' } = this.told;
    this.port = await freePort();
    const file = (name: string, text: string, mode = 0o644) => writeFileSync(join(this.folder, name), text, { mode });
    file('jobs.json', JSON.stringify(jobs));
    file('token', `${secret}\n`, 0o600);
    file('bridge', `#!/bin/sh\nexec '${globalThis.process.execPath}' '${join(here, 'bridge.mjs')}' '${join(this.folder, 'jobs.json')}'\n`, 0o755);
    file('price.csv', series('price', (hour) => 90 + 60 * Math.sin(((hour - 14) / 12) * Math.PI) + 15 * Math.sin(hour * 2)));
    file('carbon.csv', series('carbon', (hour) => 300 + 120 * Math.sin(((hour - 9) / 12) * Math.PI)));
    file(
      'serve.toml',
      `[serve]
listen = "${host}:${this.port}"
journal = "journal.db"
token_file = "token"
mode = "${mode}"
[[site]]
name = "east"
price = { file = "price.csv", column = "price", unit = "EUR/MWh", after_end = "repeat" }
carbon = { file = "carbon.csv", column = "carbon", unit = "g/kWh", after_end = "repeat" }
cap = { fixed = "9 kW" }
[site.slurm]
bridge = "${join(this.folder, 'bridge')}"
partitions = ["gpu"]
poll = "1 s"
[policy]
${policy}
`,
    );
  }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}

/// Five days by the hour, around today.
function series(name: string, value: (hour: number) => number): string {
  const first = Math.floor(Date.now() / 86_400_000 - 2) * 86_400_000;
  const rows = Array.from({ length: 120 }, (_, hour) => `${new Date(first + hour * 3_600_000).toISOString()},${value(hour).toFixed(2)}`);
  return `time,${name}\n${rows.join('\n')}\n`;
}
