import { describe, expect, test } from 'vitest';
import { decode, real, undefined16, undefined32 } from '../../src/report/data/columns';
import { type Column, Unreadable } from '../../src/report/data/head';
import { Report } from '../../src/report/data/report';
import { unpack } from '../../src/report/data/unpack';
import { make } from '../make-report.mjs';
import { Blob_, packed } from '../pack.mjs';

const bytes = (blob: { parts: Uint8Array[] }) => Uint8Array.from(blob.parts.flatMap((p) => [...p]));
const stored = (enc: string, values: number[]) => {
  const blob = new Blob_();
  const column = blob.column(enc, values) as Column;
  return [...decode(column, bytes(blob))];
};
const small = { format: 'penstock-report', version: 1, runs: [], inputs: [] };
const asText = (head: unknown) => packed(head, new Blob_());

describe('a column', () => {
  test.each([
    ['u8', [0, 7, 255]],
    ['i16s', [0, -1, 32767, undefined16]],
    ['i32s', [0, -1, 2147483647, undefined32, 65536]],
    ['i32ds', [5, 5, 6, 1000000, -3]],
    ['f32', [0, -1.5, 0.25]],
    ['f32s', [0, -1.5, 0.25, 1024]],
  ])('of %s reads back as it was stored', (enc, values) => expect(stored(enc, values)).toEqual(values));

  test('of f32s keeps about four digits and undefined ones', () => {
    const [a, b] = stored('f32s', [1234.567, NaN]);
    expect(Math.abs(a / 1234.567 - 1)).toBeLessThan(1e-4);
    expect(b).toBeNaN();
  });

  test('that is the same everywhere holds no bytes', () => {
    expect([...decode({ enc: 'const', rows: 3, value: 4 }, new Uint8Array(0))]).toEqual([4, 4, 4]);
    expect([...decode({ enc: 'const', rows: 2, value: null }, new Uint8Array(0))]).toEqual([NaN, NaN]);
    expect([...decode({ enc: 'const', rows: 1, value: 0.5 }, new Uint8Array(0))]).toEqual([0.5]);
  });

  test('beyond the end of the data is refused', () => {
    expect(() => decode({ enc: 'i32s', rows: 3, at: 0 }, new Uint8Array(11))).toThrow(Unreadable);
    expect(() => decode({ enc: 'i64', rows: 3, at: 0 } as unknown as Column, new Uint8Array(99))).toThrow(/unknown/);
  });

  test('in real numbers has its unit and NaN for undefined ones', () => {
    expect([...real(Int32Array.of(5, undefined32), 0.001)]).toEqual([0.005, NaN]);
    expect([...real(Int16Array.of(5, undefined16))]).toEqual([5, NaN]);
  });
});

describe('a report', () => {
  test('comes out as it was packed', async () => {
    const { head, blob } = make('small');
    const got = await unpack(packed(head, blob));
    expect(got.head.runs.map((r) => r.label)).toEqual(head.runs.map((r: { label: string }) => r.label));
    const report = new Report(got.head, await got.blob);
    const people = report.population(0)!;
    expect(report.text(people.name[4])).toBe('</script><script>globalThis.hacked=1</script>');
    expect(report.job(2, 'held')).toEqual(report.job(2, 'run'));
    expect(report.jct(0)[0]).toBe(report.job(0, 'wait')[0] + report.job(0, 'run')[0]);
    expect(report.jct(0)[96]).toBeNaN();
    expect(report.timelines(0)[0].column('cap')[0]).toBe(64 * 330);
    expect(report.reasons(4)!.text.length).toBe(report.reasons(4)!.time.length);
    expect(report.reasons(0)).toBeNull();
  });

  test.each([
    ['', /no data/],
    ['PENSTOCK\u005fDATA', /template/],
    ['%%%%', /damaged/],
    [Buffer.from('hello').toString('base64'), /gzip/],
    [asText({ ...small, version: 99 }), /version 99/],
    [asText({ format: 'other' }), /not of a Penstock report/],
    [asText({ format: 'penstock-report', version: 1 }), /no runs/],
  ])('that cannot be read says why (%#)', async (text, why) => {
    await expect(unpack(text)).rejects.toThrow(why);
  });

  test('that is cut off says so', async () => {
    const { head, blob } = make('one');
    const whole = packed(head, blob);
    const read = unpack(whole.slice(0, Math.floor(whole.length * 0.9) & ~3)).then((r) => r.blob);
    await expect(read).rejects.toThrow(/cut off/);
  });

  test('without jobs, timelines or populations is still one', async () => {
    const run = { input: 0, label: 'x', policy: 'x', jobs: null, timeline: null, stretches: null, reasons: null, population: null };
    const { head, blob } = await unpack(asText({ ...small, runs: [run], inputs: [{}] }));
    const report = new Report(head, await blob);
    expect(report.population(null)).toBeNull();
    expect(report.timelines(0)).toEqual([]);
    expect(report.job(0, 'wait').length).toBe(0);
  });
});
