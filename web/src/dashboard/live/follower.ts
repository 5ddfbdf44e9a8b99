import { Refused } from './api';
import { EventText, type ServerEvent } from './event-text';

export type Link = 'connecting' | 'live' | 'lost' | 'refused';

interface Surroundings {
  open: (after: string | null, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /// Everything that came at once.
  heard: (events: ServerEvent[]) => void;
  /// The link as it is now; `why` says what went wrong.
  linked: (link: Link, why: unknown) => void;
}

/// Without a word for so long the line is dead: the daemon says something every 15 s.
const silence = 40_000;
const shortest = 500;
const longest = 8_000;

/// Follows the daemon's events, and comes back by itself when the line breaks.
export class Follower {
  private last: string | null = null;
  private stopped = false;
  private wake: (() => void) | null = null;
  private line: AbortController | null = null;
  constructor(private readonly around: Surroundings) {}

  /// Returns when stop() was called, or when the daemon wants a token.
  async run(): Promise<void> {
    let pause = shortest;
    this.stopped = false;
    while (!this.stopped) {
      const began = Date.now();
      const why = await this.once();
      if (this.stopped) return;
      if (why instanceof Refused && (why.status === 401 || why.status === 403)) return this.around.linked('refused', why);
      this.around.linked('lost', why);
      pause = Date.now() - began > 2 * longest ? shortest : Math.min(longest, pause * 2);
      await this.rest(pause * (0.75 + Math.random() / 2));
    }
  }

  /// Tries again now instead of after the pause.
  hurry(): void {
    this.wake?.();
  }

  stop(): void {
    this.stopped = true;
    this.line?.abort();
    this.hurry();
  }

  /// One connection until it breaks; returns why.
  private async once(): Promise<unknown> {
    const line = (this.line = new AbortController());
    let timer = setTimeout(() => line.abort(), silence);
    try {
      const reader = (await this.around.open(this.last, line.signal)).getReader();
      this.around.linked('live', null);
      const letters = new TextDecoder();
      const text = new EventText();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return null;
        clearTimeout(timer);
        timer = setTimeout(() => line.abort(), silence);
        this.pass(text.take(letters.decode(value, { stream: true })));
      }
    } catch (error) {
      return error;
    } finally {
      clearTimeout(timer);
      line.abort();
    }
  }

  private pass(events: ServerEvent[]): void {
    if (events.length === 0) return;
    for (const { id } of events) this.last = id ?? this.last;
    this.around.heard(events);
  }

  private rest(ms: number): Promise<void> {
    return new Promise((done) => {
      const end = () => {
        clearTimeout(timer);
        this.wake = null;
        done();
      };
      const timer = setTimeout(end, ms);
      this.wake = end;
    });
  }
}
