import { type Column, Unreadable } from './head';

export type Numbers = Uint8Array | Int16Array | Int32Array | Float32Array;

export const undefined16 = -32768;
export const undefined32 = -2147483648;

/// Whether a stored number is one, in a column that holds nothing as low as −32768.
export const isDefined = (stored: number): boolean => stored > undefined16;

const widths = { u8: 1, i16s: 2, i32s: 4, i32ds: 4, f32s: 4, f32: 4, const: 0 };

/// The numbers of a column; undefined ones as stored.
export function decode(column: Column, blob: Uint8Array): Numbers {
  const { enc, rows } = column;
  const width = widths[enc];
  if (width === undefined) throw new Unreadable(`A column is stored in a way unknown to this page: ${String(enc)}.`);
  if (enc === 'const') return constant(column);
  const at = column.at ?? -1;
  if (!(at >= 0) || !(rows >= 0) || at + rows * width > blob.length) throw new Unreadable('A column reaches beyond the end of the data: the file is cut off or damaged.');
  const bytes = blob.subarray(at, at + rows * width);
  switch (enc) {
    case 'u8':
      return bytes;
    case 'i16s':
      return planes16(bytes, rows);
    case 'i32s':
      return planes32(bytes, rows);
    case 'i32ds':
      return runningSum(planes32(bytes, rows));
    case 'f32s':
      return new Float32Array(planes32(bytes, rows).buffer);
    case 'f32':
      return new Float32Array(bytes.slice().buffer);
  }
}

function constant({ rows, value }: Column): Numbers {
  if (value === null || value === undefined || !Number.isInteger(value) || Math.abs(value) > 2147483647) return new Float32Array(rows).fill(value ?? NaN);
  return new Int32Array(rows).fill(value);
}

function planes16(bytes: Uint8Array, rows: number): Int16Array {
  const out = new Int16Array(rows);
  for (let i = 0, j = rows; i < rows; ++i, ++j) out[i] = bytes[i] | (bytes[j] << 8);
  return out;
}

function planes32(bytes: Uint8Array, rows: number): Int32Array {
  const out = new Int32Array(rows);
  const b = rows;
  const c = 2 * rows;
  const d = 3 * rows;
  for (let i = 0; i < rows; ++i) out[i] = bytes[i] | (bytes[b + i] << 8) | (bytes[c + i] << 16) | (bytes[d + i] << 24);
  return out;
}

function runningSum(numbers: Int32Array): Int32Array {
  let sum = 0;
  for (let i = 0; i < numbers.length; ++i) numbers[i] = sum = (sum + numbers[i]) | 0;
  return numbers;
}

/// The same numbers times `unit`, with NaN for undefined ones.
export function real(numbers: Numbers, unit = 1): Float64Array {
  const out = new Float64Array(numbers.length);
  const none = numbers instanceof Int32Array ? undefined32 : numbers instanceof Int16Array ? undefined16 : NaN;
  for (let i = 0; i < out.length; ++i) out[i] = numbers[i] === none ? NaN : numbers[i] * unit;
  return out;
}
