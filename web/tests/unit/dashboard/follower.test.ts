import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refused } from '../../../src/dashboard/live/api';
import type { ServerEvent } from '../../../src/dashboard/live/event-text';
import { Follower, type Link } from '../../../src/dashboard/live/follower';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Line = (after: string | null, signal: AbortSignal) => ReadableStream<Uint8Array>;

/// Says this and then nothing more, until it is hung up or `ends`.
const says =
  (text: string, ends: boolean): Line =>
  (_, signal) =>
    new ReadableStream({
      start(out) {
        out.enqueue(new TextEncoder().encode(text));
        if (ends) out.close();
        else signal.addEventListener('abort', () => out.error(new Error('hung up')));
      },
    });

function follow(lines: (Line | Error)[]) {
  const links: Link[] = [];
  const heard: ServerEvent[] = [];
  const asked: (string | null)[] = [];
  const follower = new Follower({
    open: async (after, signal) => {
      asked.push(after);
      const line = lines.length > 1 ? lines.shift()! : lines[0];
      if (line instanceof Error) throw line;
      return line(after, signal);
    },
    heard: (events) => heard.push(...events),
    linked: (link) => links.push(link),
  });
  return { follower, links, heard, asked };
}

test('a broken line is taken up again where it broke', async () => {
  const { follower, links, heard, asked } = follow([says('id: 5\nevent: job\ndata: {}\n\n', true), new Error('refused'), says('id: 6\ndata: {}\n\n', false)]);
  void follower.run();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked).toEqual([null, '5', '5']);
  expect(links).toEqual(['live', 'lost', 'lost', 'live']);
  expect(heard.map((e) => e.id)).toEqual(['5', '6']);
  follower.stop();
});

test('a line on which nothing is said is given up', async () => {
  const { follower, links } = follow([says(': here\n\n', false)]);
  void follower.run();
  await vi.advanceTimersByTimeAsync(39_000);
  expect(links).toEqual(['live']);
  await vi.advanceTimersByTimeAsync(12_000);
  expect(links.slice(0, 3)).toEqual(['live', 'lost', 'live']);
  follower.stop();
});

test('it does not knock at the door of who wants a token', async () => {
  const { follower, links, asked } = follow([new Refused(401, 'a token is needed')]);
  await follower.run();
  expect([links, asked.length]).toEqual([['refused'], 1]);
});

test('pauses grow to some seconds and can be cut short', async () => {
  const { follower, asked } = follow([new Error('down')]);
  void follower.run();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.length).toBeLessThan(30);
  const before = asked.length;
  follower.hurry();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.length).toBe(before + 1);
  follower.stop();
});
