import { z } from 'zod';
import { parseDuration } from './duration.ts';

/** The range of a duration, as a configuration would say it. */
export interface DurationRange {
  /** The shortest, such as `100ms`. */
  readonly least: string;
  /** The longest. @defaultValue `24h` */
  readonly most?: string;
  /** One that makes sense in its place, such as `20s`. */
  readonly example: string;
}

/** A duration with its unit, read as milliseconds. */
export function durationSchema({ least, most = '24h', example }: DurationRange) {
  const expected = `a duration from ${least} to ${most} with its unit (ms, s, m, h or d), such as ${example}`;
  const leastMs = parseDuration(least) as number;
  const mostMs = parseDuration(most) as number;
  return z.string({ error: expected }).transform((text, context) => {
    const durationMs = parseDuration(text);
    if (durationMs !== undefined && durationMs >= leastMs && durationMs <= mostMs) return durationMs;
    context.addIssue({ code: 'custom', message: expected, input: text });
    return z.NEVER;
  });
}
