import { describe, expect, test } from 'vitest';
import { Overview, Raster, shadeTable, toPixels } from '../../src/parts/gantt/raster';
import { GpuRows } from '../../src/parts/gantt/rows';
import { StretchIndex } from '../../src/parts/gantt/stretches';
import { placeLabels } from '../../src/parts/labels';
import { TimeLink } from '../../src/parts/time-link';
import { cdf, logGrid, positiveRange } from '../../src/report/data/cdf';
import { front } from '../../src/report/data/front';
import { ranks, sortRows } from '../../src/report/data/job-rows';
import { choices, curve } from '../../src/report/data/training';
import { byHour, held, union } from '../../src/report/data/over-time';

describe('a distribution', () => {
  test('counts values that are at most x, exactly', () => {
    const grid = Float64Array.of(1, 10, 100);
    expect([...cdf(Float64Array.of(1, 10, 10.5, 1000, NaN, 0), grid)!]).toEqual([2 / 5, 3 / 5, 4 / 5]);
  });
  test('agrees with counting one by one', () => {
    const values = Float64Array.from({ length: 1000 }, (_, i) => ((i * 7919) % 1000) + 0.5);
    const grid = logGrid(0.5, 999.5, 50);
    const curve = cdf(values, grid)!;
    grid.forEach((x, i) => expect(curve[i]).toBe(values.filter((v) => v <= x).length / 1000));
  });
  test('of nothing is none', () => {
    expect(cdf(Float64Array.of(NaN), Float64Array.of(1, 2))).toBeNull();
    expect(positiveRange([Float64Array.of(0, NaN)])).toBeNull();
    expect(positiveRange([Float64Array.of(0, 3), Float64Array.of(2)])).toEqual([2, 3]);
  });
});

describe('a front', () => {
  const points = [{ x: 1, y: 5 }, { x: 2, y: 2 }, { x: 3, y: 3 }, { x: 5, y: 1 }, { x: NaN, y: 0 }];
  test('holds who is beaten in both by nobody', () => expect(front(points)).toEqual([true, true, false, true, false]));
  test('turns with what is better', () => expect(front(points, 1, -1)).toEqual([true, false, false, false, false]));
  test('keeps twins, and drops who is only as good', () => {
    expect(front([{ x: 1, y: 1 }, { x: 1, y: 1 }, { x: 2, y: 1 }, { x: 1, y: 2 }])).toEqual([true, true, false, false]);
  });
});

describe('a Gantt', () => {
  const stretches = { rows: 4, job: Int32Array.of(0, 1, 2, 3), from: Int32Array.of(0, 10, 20, 95), length: Int32Array.of(100, 5, 10, 5), gpu: Int32Array.of(0, 1, 2, 3), count: Int16Array.of(1, 1, 2, 1) };
  const index = new StretchIndex(stretches);
  const whole = { from: 0, to: 100, top: 0, bottom: 4 };
  const paints = Uint8Array.of(0, 1, 2, 3);
  const sum = (r: Raster) => {
    let all = 0;
    for (let y = 0; y < r.height; ++y) for (let x = 0; x < r.width; ++x) all += r.cover[y * (r.width + 2) + x];
    return all / (r.width * r.height);
  };

  test('finds who held a GPU', () => {
    expect([index.at(0, 50), index.at(1, 12), index.at(3, 25), index.at(1, 50), index.at(1, 16, 2)]).toEqual([0, 1, 2, -1, 1]);
  });

  // 100 + 5 + 20 + 5 of 400 GPU-seconds are held.
  test.each([[100, 4], [50, 2], [7, 3], [1, 1], [400, 40]])('keeps the share that is held on %d × %d pixels', (w, h) => {
    const raster = new Raster();
    raster.draw(index, paints, whole, w, h, Infinity);
    expect(sum(raster)).toBeCloseTo(130 / 400, 5);
  });

  test('draws a part as it is in the whole', () => {
    const raster = new Raster();
    raster.draw(index, paints, { from: 10, to: 20, top: 1, bottom: 2 }, 10, 1);
    expect([...raster.cover.slice(0, 10)].map(Math.round)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    expect(raster.paint[0]).toBe(1);
  });

  test('made from its overview holds the same share', () => {
    const overview = new Overview(index, paints, whole, 25, 2);
    expect(overview.serves(whole, 25, 2)).toBe(true);
    expect(overview.serves({ ...whole, to: 20 }, 25, 2)).toBe(false);
    const raster = new Raster();
    overview.draw(raster, whole, 25, 2);
    expect(sum(raster)).toBeCloseTo(130 / 400, 2);
  });

  test('shows even a little of a colour, and nothing as the ground', () => {
    const raster = new Raster();
    raster.draw(index, paints, whole, 20, 4);
    const pixels = new Uint32Array(80);
    toPixels(raster, shadeTable([255, 255, 255], [[0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]]), pixels);
    expect(pixels[0]).toBe(0xff000000);
    expect(pixels[20]).toBe(0xffffffff);
    expect(pixels[22]).toBe(0xff0000ff);
  });

  test('names site, node and GPU', () => {
    const rows = new GpuRows([{ name: 'a', firstGpu: 0, gpus: 10, nodes: [[1, 8, 'A100', 4], [1, 2, 'T4', 4]] }, { name: 'b', firstGpu: 10, gpus: 4, nodes: [[1, 4, 'T4', 4]] }]);
    expect(rows.place(9)).toEqual({ site: 'a', node: 1, gpu: 1, type: 'T4' });
    expect(rows.place(10)).toEqual({ site: 'b', node: 0, gpu: 0, type: 'T4' });
    expect([rows.total, rows.nodeLabel(2)]).toEqual([14, 'b 0']);
    expect(new GpuRows([{ name: 'a', firstGpu: 0, gpus: 4, nodes: [] }]).place(3)).toEqual({ site: 'a', node: null, gpu: 3, type: '' });
  });
});

describe('time', () => {
  test('that is shared stays within the whole', () => {
    const link = new TimeLink({ from: 0, to: 100 }, null);
    link.zoom(0.5, 100);
    expect(link.seen.get()).toEqual({ from: 50, to: 100 });
    link.pan(1);
    expect(link.seen.get()).toEqual({ from: 50, to: 100 });
    link.pan(-0.5);
    expect(link.seen.get()).toEqual({ from: 25, to: 75 });
    link.key('Home');
    expect(link.isWhole()).toBe(true);
    link.zoom(9);
    expect(link.seen.get()).toEqual({ from: 0, to: 100 });
    expect(link.key('x')).toBe(false);
  });
  test('holds values until the next one', () => {
    expect([...held(Float64Array.of(0, 5, 10, 15), Float64Array.of(5, 12), Float64Array.of(1, 2))]).toEqual([NaN, 1, 1, 2]);
    expect([...union(Float64Array.of(0, 2, 4), Float64Array.of(2, 3))]).toEqual([0, 2, 3, 4]);
  });
  test('of a day is that of UTC', () => {
    const hours = byHour({ time: Float64Array.of(0, 3600, 86400), values: Float64Array.of(2, 5, 4) }, Date.parse('2022-03-01T22:30:00Z'));
    expect([hours[22], hours[23], hours[0]]).toEqual([3, 5, NaN]);
  });
});

test('rows sort by numbers, undefined ones last either way', () => {
  const keys = Float64Array.of(3, NaN, 1, 3);
  expect([...sortRows(Uint32Array.of(0, 1, 2, 3), keys, false)]).toEqual([2, 0, 3, 1]);
  expect([...sortRows(Uint32Array.of(0, 1, 2, 3), keys, true)]).toEqual([0, 3, 2, 1]);
  expect([...ranks(['', 'b', 'a'], [1, 2, 1])]).toEqual([1, 0, 1]);
});

test('labels do not cover each other or points', () => {
  const spots = placeLabels([{ x: 50, y: 50, w: 40 }, { x: 52, y: 50, w: 40 }, { x: 5, y: 5, w: 300 }], { x: 0, y: 0, w: 200, h: 100 });
  expect(spots[0]).not.toBeNull();
  expect(spots[1]).not.toEqual(spots[0]);
  expect(spots[2]).toBeNull();
});

test('a training curve has a line for each network', () => {
  const training = { file: 'w.csv', names: { network: ['a', 'b'] }, columns: { network: [0, 0, 1], update: [0, 10, 10], loss: [3, null, 5], validation_return: [1, 2, 4] } };
  expect(choices(training)).toEqual(['validation_return', 'loss']);
  expect(curve(training, 'validation_return')).toEqual({ xName: 'update', yName: 'validation_return', x: [0, 10], lines: [{ label: 'a', y: [1, 2] }, { label: 'b', y: [null, 4] }] });
  expect(curve({ file: 'w.csv', columns: { step: [1, 2], loss: [5, 4] } }, 'loss')!.lines).toEqual([{ label: 'loss', y: [5, 4] }]);
  expect(curve({ file: 'w.csv', columns: {} }, 'loss')).toBeNull();
});
