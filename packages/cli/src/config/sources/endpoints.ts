import { z } from 'zod';
import { strictMapping } from '../strict-mapping.ts';
import { httpUrl } from './http-fields.ts';

/** How messages call what is polled. */
export interface EndpointWords {
  /** What a URL leads to, such as `a GTFS-Realtime feed`. */
  readonly leadsTo: string;
  /** Its name in a word, such as `feed`. */
  readonly noun: string;
}

/** Anything with a URL, and what may be said of it. */
interface Endpoint {
  readonly url: string;
  readonly origin?: string;
}

/**
 * One URL, one mapping with a `url`, or a list of these; read as a list, whose names differ.
 *
 * @param shape - what may be said of each beside its URL
 */
export function endpointsSchema<Shape extends z.ZodRawShape>(shape: Shape, { leadsTo, noun }: EndpointWords) {
  const url = httpUrl(`an http or https URL of ${leadsTo}`);
  const one = strictMapping(`the URL of a ${noun}, or a mapping with its url`, { url, ...shape });
  const list = z
    .array(
      z.preprocess((value) => (typeof value === 'string' ? { url: value } : value), one),
      { error: 'a URL or a list of URLs' },
    )
    .min(1, `at least one ${noun}`)
    .superRefine((all, context) => {
      const named = all as readonly Endpoint[];
      for (const [index, { origin }] of named.entries()) {
        if (origin === undefined || named.findIndex((other) => other.origin === origin) === index) continue;
        const message = `a name that no other ${noun} of the stream has`;
        context.addIssue({ code: 'custom', path: [index, 'origin'], message });
      }
    });
  return z.preprocess((value) => (Array.isArray(value) || value === undefined ? value : [value]), list);
}

/**
 * The endpoints of a source with what is said beside them, which holds for an only one.
 *
 * @param key - the key that the endpoints stand under
 * @param context - told of what cannot stand there
 */
export function withBeside<One extends object, Beside extends object>(
  endpoints: readonly One[],
  beside: Beside,
  { key, noun }: { key: string } & Pick<EndpointWords, 'noun'>,
  context: z.RefinementCtx,
): readonly (One & Partial<Beside>)[] {
  const [first, ...others] = endpoints as readonly [One, ...One[]];
  // Said in two places, or of many endpoints, it would be for people to guess what counts.
  if (others.length === 0 && Object.keys(first).length === 1) return [{ ...first, ...beside }];
  const message = `it within the entry of its ${noun}: it can stand here only where ${key} is one URL`;
  for (const name of Object.keys(beside)) context.addIssue({ code: 'custom', path: [name], message });
  return endpoints as readonly (One & Partial<Beside>)[];
}
