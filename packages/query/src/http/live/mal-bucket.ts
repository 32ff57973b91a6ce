import { errors } from '../../errors.ts';

/**
 * The MAL that a live query runs at for whoever asks for this one: the power of two below it, so that readers who want
 * much the same share one, and each gets what he asked for or better.
 *
 * @param mal - seconds
 * @param limitMalMs - the shortest, milliseconds
 * @returns seconds
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - it is shorter than the limit
 * @see specs/query.md QUERY-74
 */
export function malBucket(mal: number, limitMalMs: number): number {
  const least = limitMalMs / 1000;
  if (mal < least) {
    throw errors.ERR_QUERY_OPTION({ name: 'mal', value: mal, expected: `it is ${least} or more here (limitMalMs)` });
  }
  return Math.max(least, 2 ** Math.floor(Math.log2(mal)));
}
