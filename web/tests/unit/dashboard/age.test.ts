import { expect, test } from 'vitest';
import { freshness, span } from '../../../src/dashboard/live/age';

test('what is old is called old, whatever the line says', () => {
  expect(freshness('live', 1000, 4000)).toMatchObject({ word: 'live', old: false });
  expect(freshness('live', 1000, 31_000)).toMatchObject({ word: 'old', text: 'the daemon answers slowly; what you see is 30 s old' });
  expect(freshness('lost', 1000, 38_000)).toMatchObject({ word: 'reconnecting', text: 'reconnecting … what you see is 37 s old', old: true });
  expect(freshness('lost', null, 5000).text).toBe('reconnecting … nothing was heard yet');
  expect(freshness('connecting', null, 0).word).toBe('connecting');
});

test('spans are short', () => {
  expect([59_000, 180_000, 7_200_000, 864_000_000].map(span)).toEqual(['59 s', '3 min', '2 h', '10 d']);
});
