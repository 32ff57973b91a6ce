import { z } from 'zod';
import { parseDuration } from './duration.ts';

/** The longest duration that a configuration may ask for, milliseconds: a day. */
const MAX_MS = 86_400_000;

/**
 * A duration with its unit, up to a day, read as milliseconds.
 *
 * @param leastMs - the shortest, milliseconds: 1 to 999
 * @param example - one that makes sense in its place, such as `20s`
 */
export function durationSchema(leastMs: number, example: string) {
  const expected = `a duration from ${leastMs}ms to 24h with its unit (ms, s, m or h), such as ${example}`;
  return z.string({ error: expected }).transform((text, context) => {
    const durationMs = parseDuration(text);
    if (durationMs !== undefined && durationMs >= leastMs && durationMs <= MAX_MS) return durationMs;
    context.addIssue({ code: 'custom', message: expected, input: text });
    return z.NEVER;
  });
}
