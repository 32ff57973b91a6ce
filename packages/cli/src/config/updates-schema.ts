import { z } from 'zod';
import { durationSchema } from './duration-schema.ts';
import { strictMapping } from './strict-mapping.ts';

const EXPECTED = '"unpredictable", a mapping with every such as { every: 15m }, or the key left out';

/** When updates come: at any moment, or at an interval. */
export function updatesSchema() {
  const anyMoment = z.literal('unpredictable', { error: EXPECTED });
  const regular = strictMapping(EXPECTED, {
    every: durationSchema({ least: '100ms', most: '366d', example: '15m' }),
  }).transform(({ every: everyMs }) => ({ everyMs }));
  // No union: its mistakes would not say what is wrong within the mapping.
  return z.unknown().transform((value, context): 'unpredictable' | { readonly everyMs: number } => {
    const parsed = (typeof value === 'object' && value !== null ? regular : anyMoment).safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  });
}
