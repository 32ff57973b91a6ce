import { expect, test } from 'vitest';
import { malBucket } from '../../src/http/live/mal-bucket.ts';

test('QUERY-74 a MAL goes by the power of two below it, and not below the limit', () => {
  const buckets = [0.5, 0.7, 1, 1.9, 2, 3.999, 4, 60, 3600].map((mal) => malBucket(mal, 500));
  expect(buckets).toEqual([0.5, 0.5, 1, 1, 2, 2, 4, 32, 2048]);
  // The limit is no power of two: nothing goes below it, nor is kept waiting longer than it asked for.
  expect([0.3, 0.4, 0.5].map((mal) => malBucket(mal, 300))).toEqual([0.3, 0.3, 0.5]);
  expect(() => malBucket(0.499, 500)).toThrow(expect.objectContaining({ code: 'ERR_QUERY_OPTION' }));
});
