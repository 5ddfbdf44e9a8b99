import { expect, test } from 'vitest';
import { freshness, span } from '../../../src/dashboard/live/age';

test('what is old is called old, whatever the line says', () => {
  expect(freshness('live', 1000, 4000)).toEqual({ word: 'live', text: 'connected', age: '' });
  expect(freshness('live', 1000, 31_000)).toMatchObject({ word: 'slow', age: 'what you see is 30 s old' });
  expect(freshness('lost', 1000, 38_000)).toEqual({ word: 'reconnecting', text: 'reconnecting …', age: 'what you see is 37 s old' });
  expect(freshness('lost', 1000, 2000).age).toBe('what you see is 1 s old');
  expect(freshness('lost', null, 5000).age).toBe('nothing was heard yet');
  expect(freshness('connecting', null, 0).word).toBe('connecting');
});

test('spans are short', () => {
  expect([59_000, 180_000, 7_200_000, 864_000_000].map(span)).toEqual(['59 s', '3 min', '2 h', '10 d']);
});
