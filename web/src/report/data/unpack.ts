import { checkedHead, type Head, Unreadable } from './head';

/// A report while it is read: the head comes first, the blob of columns when all is unpacked.
export interface Unpacked {
  head: Head;
  blob: Promise<Uint8Array>;
}

/// The bytes behind base64 text.
export function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (t: string) => Uint8Array }).fromBase64;
  try {
    if (native) return native(text);
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
    return bytes;
  } catch {
    throw new Unreadable('The data inside is damaged: it is not base64 text. The file may be cut off.');
  }
}

/// Grows to hold what is unpacked; knows from the end of a gzip file how much that will be.
class Bytes {
  all: Uint8Array<ArrayBuffer>;
  length = 0;
  constructor(expected: number) {
    this.all = new Uint8Array(expected);
  }
  add(part: Uint8Array): void {
    if (this.length + part.length > this.all.length) {
      const larger = new Uint8Array(Math.max(this.all.length * 2, this.length + part.length));
      larger.set(this.all.subarray(0, this.length));
      this.all = larger;
    }
    this.all.set(part, this.length);
    this.length += part.length;
  }
}

/// Unpacks base64 of gzip. Resolves as soon as the head is there.
export async function unpack(text: string): Promise<Unpacked> {
  const base64 = text.trim();
  if (base64 === '') throw new Unreadable('The report holds no data.');
  if (base64.startsWith('PENSTOCK')) throw new Unreadable('This is the empty template of a report. `penstock report` fills it.');
  const packed = fromBase64(base64);
  if (packed[0] !== 0x1f || packed[1] !== 0x8b) throw new Unreadable('The data inside is damaged: it is not packed by gzip.');
  if (typeof DecompressionStream === 'undefined') throw new Unreadable('This browser is too old to unpack the data. Any browser of 2023 or later can.');
  const tail = packed.subarray(packed.length - 4);
  const size = (tail[0] | (tail[1] << 8) | (tail[2] << 16) | (tail[3] << 24)) >>> 0;
  const bytes = new Bytes(Math.min(size, packed.length * 1032) + 16);
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'));
  const reader = stream.getReader();
  const more = async (): Promise<boolean> => {
    try {
      const { done, value } = await reader.read();
      if (!done) bytes.add(value as Uint8Array);
      return !done;
    } catch {
      throw new Unreadable('The data inside is damaged: it cannot be unpacked to its end. The file may be cut off.');
    }
  };
  while (bytes.length < 4) if (!(await more())) throw new Unreadable('The report holds no data.');
  const n = new DataView(bytes.all.buffer).getUint32(0, true);
  while (bytes.length < 4 + n) if (!(await more())) throw new Unreadable('The head of the report is cut off.');
  const head = parsed(bytes.all.subarray(4, 4 + n));
  const begin = Math.ceil((4 + n) / 4) * 4;
  const rest = (async () => {
    while (await more()) continue;
    return bytes.all.subarray(Math.min(begin, bytes.length), bytes.length);
  })();
  rest.catch(() => undefined);
  return { head, blob: rest };
}

function parsed(bytes: Uint8Array): Head {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Unreadable('The head of the report is damaged: it is not JSON.');
  }
  return checkedHead(json);
}
