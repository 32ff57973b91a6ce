import { z } from 'zod';
import { strictMapping } from './strict-mapping.ts';

/** Which web pages the server has: `false` where it has none. */
export function webSchema() {
  const expected = 'false, or a mapping with any of style, foreign';
  const style = 'the http or https URL of a MapLibre style, or a path of this server that begins with "/"';
  const mapping = strictMapping(expected, {
    style: z.string({ error: style }).refine(isStyle, style).exactOptional(),
    foreign: z.boolean({ error: 'true or false' }).exactOptional(),
  });
  const off = z.literal(false, { error: expected });
  // No union: its mistakes would not say what is wrong within the mapping.
  return z.unknown().transform((value, context): z.infer<typeof mapping> | false => {
    const isMapping = typeof value === 'object' && value !== null;
    const parsed = (isMapping ? mapping : off).safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  });
}

function isStyle(text: string): boolean {
  return text.startsWith('/') || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol));
}
