import { z } from 'zod';

/**
 * A mapping without other keys than those of its shape. For unknown keys its message lists the known ones,
 * separated by ", ".
 *
 * @param expected - what is said where something else stands
 */
export function strictMapping<Shape extends z.ZodRawShape>(expected: string, shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? known : expected) });
}
