import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Api } from '../../../src/dashboard/live/api';
import { Live } from '../../../src/dashboard/live/live';
import { Store } from '../../../src/parts/store';
import { columns, row } from './made';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status });
const decided = (job: string) => ({ id: '1', event: 'decision', data: JSON.stringify({ job, action: 'start' }) });
const changed = (id: string, state: string) => ({ id: '1', event: 'job', data: JSON.stringify({ id, state, row: row(id, state) }) });

/// A page over a daemon that knows these jobs.
function page(ids: string[], refuse = 0) {
  const asked: string[] = [];
  const known = new Set(ids);
  const answer = async (input: RequestInfo | URL, init?: RequestInit) => {
    const path = String(input);
    asked.push(path.replace(/\?.*/, '').replace('/api/v1/', '') + (path.includes('ids=') ? ' named' : ''));
    if (refuse) return json({ error: 'a token is needed' }, refuse);
    if (path.includes('/events')) return new Response(new ReadableStream({ start: (out) => init?.signal?.addEventListener('abort', () => out.error(new Error())) }));
    const named = /ids=(.*)/.exec(path)?.[1].split(',').map(decodeURIComponent);
    if (path.includes('/jobs')) return json(columns([...known].filter((id) => !named || named.includes(id)).map((id) => ({ id }))));
    return json(path.includes('/sites') ? { sites: [] } : path.includes('/decisions') ? { decisions: [] } : {});
  };
  const live = new Live(new Api(new Store<string | null>(null), answer as typeof fetch), (draw) => setTimeout(draw, 16));
  return { live, asked, known, count: (what: string) => asked.filter((a) => a === what).length };
}

test('ten thousand events in ten seconds are some twenty requests', async () => {
  const { live, asked, count } = page(['e/1', 'e/2']);
  live.start();
  await vi.advanceTimersByTimeAsync(1000);
  asked.length = 0;
  for (let i = 0; i < 1000; ++i) {
    live.hear(Array.from({ length: 10 }, (_, k) => (k % 2 ? decided(`e/${k}`) : changed('e/1', 'running'))));
    await vi.advanceTimersByTimeAsync(10);
  }
  for (const what of ['state', 'sites', 'decisions', 'jobs named']) expect(count(what), what).toBeLessThanOrEqual(12);
  expect(count('jobs')).toBe(0);
  live.stop();
});

test('rows in events are shown with the next picture, without asking', async () => {
  const { live, asked } = page(['e/1']);
  live.start();
  await vi.advanceTimersByTimeAsync(3000);
  asked.length = 0;
  live.hear([changed('e/7', 'running')]);
  await vi.advanceTimersByTimeAsync(16);
  expect(live.jobs.find('e/7')).toMatchObject({ state: 'running', nodes: 'n1 n2' });
  expect(live.jobsDrawn.get()).toBe(live.jobs.version);
  expect(asked.filter((a) => a.startsWith('jobs'))).toEqual([]);
  live.hear([{ id: null, event: 'job', data: '{"id":"e/7","state":"ended"}' }]);
  expect(live.jobs.find('e/7')).toBeUndefined();
  live.stop();
});

test('a job that was only named is asked for, and gone if nobody knows it', async () => {
  const { live, known } = page(['e/1', 'e/2']);
  live.start();
  await vi.advanceTimersByTimeAsync(3000);
  known.delete('e/1');
  live.hear([decided('e/1')]);
  await vi.advanceTimersByTimeAsync(1100);
  expect([...live.jobs.all()].map((j) => j.id)).toEqual(['e/2']);
  live.stop();
});

test('when too much happened to be told, all jobs are asked for once', async () => {
  const { live, asked, count } = page(['e/1']);
  live.start();
  await vi.advanceTimersByTimeAsync(5000);
  asked.length = 0;
  live.hear([{ id: null, event: 'skipped', data: '{"skipped":4}' }]);
  live.hear([{ id: '9', event: 'jobs', data: '{"changed":900}' }]);
  live.hear(Array.from({ length: 900 }, (_, k) => decided(`e/${k}`)));
  live.hear([{ id: '9', event: 'job', data: 'no JSON' }]);
  await vi.advanceTimersByTimeAsync(1900);
  expect(count('jobs')).toBe(1);
  expect(count('jobs named')).toBe(0);
  live.stop();
});

test('a daemon that wants a token is asked no further', async () => {
  const { live, asked } = page([], 401);
  live.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(live.wantsToken.get()).toBe(true);
  asked.length = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([]);
});

test('the token goes into a header and nowhere else', async () => {
  const seen: [string, string | null][] = [];
  const api = new Api(new Store<string | null>('se cret'), (async (input: RequestInfo | URL, init?: RequestInit) => {
    seen.push([String(input), new Headers(init?.headers).get('Authorization')]);
    return json({});
  }) as typeof fetch);
  await api.get('/api/v1/state');
  await api.post('/api/v1/pause', { reason: 'fans' });
  expect(seen).toEqual([
    ['/api/v1/state', 'Bearer se cret'],
    ['/api/v1/pause', 'Bearer se cret'],
  ]);
});
