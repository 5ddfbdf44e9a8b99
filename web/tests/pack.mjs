// Packs a report as docs/formats/report.md says; the other side of src/report/data.
import { gzipSync } from 'node:zlib';

const widths = { u8: 1, i16s: 2, i32s: 4, i32ds: 4, f32s: 4, f32: 4 };
export const none16 = -32768;
export const none32 = -2147483648;

/// Collects blocks of columns and says where each is.
export class Blob_ {
  parts = [];
  size = 0;

  column(enc, values) {
    const rows = values.length;
    if (enc === 'const') return { enc, rows, value: rows ? values[0] : null };
    while (this.size % 4) this.push(new Uint8Array(1));
    const at = this.size;
    this.push(bytesOf(enc, values));
    return { at, enc, rows };
  }

  push(bytes) {
    this.parts.push(bytes);
    this.size += bytes.length;
  }
}

function bytesOf(enc, values) {
  const rows = values.length;
  const width = widths[enc];
  const out = new Uint8Array(rows * width);
  if (enc === 'u8') {
    out.set(values);
    return out;
  }
  const word = new DataView(new ArrayBuffer(4));
  let before = 0;
  for (let i = 0; i < rows; ++i) {
    if (enc === 'f32s' || enc === 'f32') word.setFloat32(0, values[i] ?? NaN, true);
    else if (enc === 'i32ds') {
      word.setInt32(0, values[i] - before, true);
      before = values[i];
    } else word.setInt32(0, values[i], true);
    if (enc === 'f32s') word.setUint32(0, Number.isNaN(word.getFloat32(0, true)) ? 0x7fc00000 : (word.getUint32(0, true) + 0x200) & 0xfffffc00, true);
    for (let b = 0; b < width; ++b) out[enc === 'f32' ? i * 4 + b : b * rows + i] = word.getUint8(b);
  }
  return out;
}

/// The bytes of head and blob, gzipped, as base64.
export function packed(head, blob, level = 6) {
  const json = Buffer.from(JSON.stringify(head));
  const begin = Buffer.alloc(4);
  begin.writeUInt32LE(json.length);
  const padding = Buffer.alloc((4 - ((4 + json.length) % 4)) % 4);
  return gzipSync(Buffer.concat([begin, json, padding, ...blob.parts]), { level }).toString('base64');
}

/// The page with the data in it.
export function filled(template, base64) {
  return template.replace('PENSTOCK_DATA', () => base64);
}
