import type { Store } from '../../parts/store';

/// The daemon said no; the message is its own.
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const patience = 15_000;

/// Asks the daemon that served the page. The token goes into a header, never into an address.
export class Api {
  constructor(
    readonly token: Store<string | null>,
    private readonly ask: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  get<T>(path: string, ms = patience): Promise<T> {
    return this.json<T>(path, { signal: AbortSignal.timeout(ms) });
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.json<T>(path, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(patience) });
  }

  /// What happens, from `after` on where that is known.
  async events(after: string | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.send('/api/v1/events', { signal, headers: after === null ? {} : { 'Last-Event-ID': after } });
    if (!answer.ok || !answer.body) throw await refusal(answer);
    return answer.body;
  }

  private async json<T>(path: string, init: RequestInit): Promise<T> {
    const answer = await this.send(path, init);
    if (!answer.ok) throw await refusal(answer);
    return (await answer.json()) as T;
  }

  private send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const token = this.token.get();
    if (token !== null) headers.set('Authorization', `Bearer ${token}`);
    return this.ask(path, { ...init, headers, cache: 'no-store', credentials: 'omit', redirect: 'error' });
  }
}

async function refusal(answer: Response): Promise<Refused> {
  try {
    const body = (await answer.json()) as { error?: unknown };
    if (typeof body.error === 'string') return new Refused(answer.status, body.error);
  } catch {
    // What is no JSON says nothing that people could read.
  }
  return new Refused(answer.status, `the daemon answered with ${answer.status}`);
}

/// What went wrong, for people.
export function reasonOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'the daemon took too long to answer';
  return 'the daemon cannot be reached';
}
