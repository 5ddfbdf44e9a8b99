export interface ServerEvent {
  id: string | null;
  event: string;
  data: string;
}

/// More than any event of ours has; a stream that says so much without an end says nothing.
const longest = 1 << 20;

/// Takes server-sent events out of a stream that comes in pieces of any length.
export class EventText {
  private rest = '';
  private id: string | null = null;
  private event = '';
  private data: string[] = [];

  /// The events that are complete with this piece.
  take(piece: string): ServerEvent[] {
    const out: ServerEvent[] = [];
    const lines = (this.rest + piece).split('\n');
    this.rest = lines.pop()!;
    if (this.rest.length > longest) throw new Error('an event without an end');
    for (const line of lines) this.line(line.endsWith('\r') ? line.slice(0, -1) : line, out);
    return out;
  }

  private line(line: string, out: ServerEvent[]): void {
    if (line === '') {
      if (this.data.length > 0) out.push({ id: this.id, event: this.event || 'message', data: this.data.join('\n') });
      this.event = '';
      this.id = null;
      this.data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.event = value;
    else if (name === 'id') this.id = value;
  }
}
