import { expect, test } from 'vitest';
import { EventText } from '../../../src/dashboard/live/event-text';

const text = ': here\n\nid: 22\nevent: job\ndata: {"id":"east/12"}\n\nevent: skipped\ndata: {"skipped":4}\n\n';
const events = [
  { id: '22', event: 'job', data: '{"id":"east/12"}' },
  { id: null, event: 'skipped', data: '{"skipped":4}' },
];

test('events are the same wherever the stream is cut', () => {
  for (let cut = 0; cut <= text.length; ++cut) {
    const reader = new EventText();
    expect([...reader.take(text.slice(0, cut)), ...reader.take(text.slice(cut))]).toEqual(events);
  }
});

test('lines may end as they do on other systems', () => {
  expect(new EventText().take(text.replaceAll('\n', '\r\n'))).toEqual(events);
});

test('a stream without an end of line is given up', () => {
  const reader = new EventText();
  expect(() => {
    for (let i = 0; i < 100; ++i) reader.take('x'.repeat(1 << 15));
  }).toThrow('without an end');
});
