import { errors } from './errors.ts';

/**
 * Refuses limits that would let nothing through, or everything.
 *
 * @throws {@link StreamError} `ERR_LIMIT` - one of them is not an integer of 1 or more
 */
export function checkLimits(limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) throw errors.ERR_LIMIT({ name, value });
  }
}
