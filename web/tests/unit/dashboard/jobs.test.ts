import { expect, test } from 'vitest';
import { JobOrder, type SortKey } from '../../../src/dashboard/live/job-order';
import { JobStore } from '../../../src/dashboard/live/jobs';
import { columns, row } from './made';

const shown = (store: JobStore, order: JobOrder, sort: SortKey, { down = false, query = '', queued = true } = {}) =>
  [...order.of(store, { queued, query, sort: { id: sort, down } })].map((slot) => store.slots[slot]!.id);

test('jobs keep their places while they are known, and places are used again', () => {
  const store = new JobStore();
  store.replace(columns([{ id: 'e/1' }, { id: 'e/2' }]));
  const second = store.find('e/2')!.slot;
  store.replace(columns([{ id: 'e/2' }, { id: 'e/3' }]));
  expect(store.find('e/1')).toBeUndefined();
  expect(store.find('e/2')!.slot).toBe(second);
  expect(store.slots.length).toBe(2);
});

test('ten thousand jobs that come and go leave nothing behind', () => {
  const store = new JobStore();
  store.replace(columns([{ id: 'e/0' }]));
  for (let i = 1; i <= 10_000; ++i) {
    store.take(row(`e/${i}`, 'running'));
    store.take(row(`e/${i}`, 'ended'));
  }
  expect([store.size, store.slots.length]).toEqual([1, 2]);
});

test('of jobs that were asked for by name those that are not told are gone', () => {
  const store = new JobStore();
  store.replace(columns([{ id: 'e/1' }, { id: 'e/2' }, { id: 'e/3' }]));
  store.merge(columns([{ id: 'e/2', state: 'running' }]), ['e/1', 'e/2']);
  expect([...store.all()].map((j) => `${j.id} ${j.state}`)).toEqual(['e/2 running', 'e/3 queued']);
});

test('numbers of jobs are sorted as numbers, and what is not known comes last either way', () => {
  const store = new JobStore();
  const order = new JobOrder();
  store.replace(columns([{ id: 'e/10', submitted: 5 }, { id: 'e/9' }, { id: 'd/11', submitted: 7 }]));
  expect(shown(store, order, 'id')).toEqual(['d/11', 'e/9', 'e/10']);
  expect(shown(store, order, 'submitted')).toEqual(['e/10', 'd/11', 'e/9']);
  expect(shown(store, order, 'submitted', { down: true })).toEqual(['d/11', 'e/10', 'e/9']);
});

test('a table has its own jobs only, and all words of a search must be there', () => {
  const store = new JobStore();
  const order = new JobOrder();
  store.replace(columns([{ id: 'e/1', name: 'ResNet big' }, { id: 'e/2', name: 'resnet' }, { id: 'e/3', state: 'running' }, { id: 'e/4', state: 'starting' }]));
  expect(shown(store, order, 'id', { query: 'resnet big' })).toEqual(['e/1']);
  expect(shown(store, order, 'id', { query: '' })).toEqual(['e/1', 'e/2']);
  expect(shown(store, new JobOrder(), 'id', { queued: false })).toEqual(['e/3', 'e/4']);
});

test('an order that was built up by changes is the same as one from scratch', () => {
  const store = new JobStore();
  const order = new JobOrder();
  let seed = 7;
  const chance = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
  for (let i = 0; i < 400; ++i) {
    const id = `e/${chance(60)}`;
    if (chance(4) === 0) store.remove(id);
    else store.merge(columns([{ id, state: chance(3) ? 'queued' : 'running', submitted: chance(20), gpus_asked: chance(4) }]));
    const key = (['id', 'submitted', 'asked'] as const)[chance(3)];
    expect(shown(store, order, key)).toEqual(shown(store, new JobOrder(), key));
  }
});
