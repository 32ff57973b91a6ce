import { z } from 'zod';

/** An integer of a range, both ends included. */
export function integer(least: number, most = Number.MAX_SAFE_INTEGER) {
  const expected =
    most === Number.MAX_SAFE_INTEGER ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`;
  return z
    .number({ error: expected })
    .refine((value) => Number.isSafeInteger(value) && value >= least && value <= most, expected);
}
