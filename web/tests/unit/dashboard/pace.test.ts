import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pace } from '../../../src/dashboard/live/pace';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a thousand askings are one deed at once and one later', async () => {
  let done = 0;
  const pace = new Pace(1000, async () => void ++done);
  for (let i = 0; i < 1000; ++i) pace.ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toBe(1);
  for (let i = 0; i < 1000; ++i) pace.ask();
  await vi.advanceTimersByTimeAsync(999);
  expect(done).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toBe(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(done).toBe(2);
});

test('what takes long is not done twice at a time, and once more when it was asked for meanwhile', async () => {
  let at = 0;
  let most = 0;
  let done = 0;
  const pace = new Pace(10, async () => {
    most = Math.max(most, ++at);
    await new Promise((end) => setTimeout(end, 500));
    --at;
    ++done;
  });
  pace.ask();
  await vi.advanceTimersByTimeAsync(100);
  pace.ask();
  await vi.advanceTimersByTimeAsync(2000);
  expect([most, done]).toEqual([1, 2]);
});

test('what fails may be asked for again', async () => {
  let tries = 0;
  const pace = new Pace(10, () => {
    ++tries;
    return Promise.reject(new Error('no')).catch(() => undefined);
  });
  pace.ask();
  await vi.advanceTimersByTimeAsync(20);
  pace.ask();
  await vi.advanceTimersByTimeAsync(20);
  expect(tries).toBe(2);
});
