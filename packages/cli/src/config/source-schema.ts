import { z } from 'zod';
import { durationSchema } from './duration-schema.ts';
import type { Environment } from './expand-environment.ts';
import { feedShape } from './feed-shape.ts';
import { strictMapping } from './strict-mapping.ts';

/** Where the members of a stream come from: one feed or several, polled at one interval. */
export function sourceSchema(environment: Environment) {
  const shape = feedShape(environment);
  return strictMapping('a mapping with gtfsRt and every', {
    gtfsRt: feedsSchema(shape),
    every: durationSchema({ least: '100ms', example: '20s' }),
    ...shape,
  }).transform(({ gtfsRt, every: everyMs, ...beside }, context) => {
    const [feed, ...others] = gtfsRt as [Feed, ...Feed[]];
    // Said in two places, or of many feeds, it would be for people to guess what counts.
    const isBareUrl = others.length === 0 && Object.keys(feed).length === 1;
    if (isBareUrl) return { feeds: [{ ...feed, ...beside }], everyMs };
    for (const key of Object.keys(beside)) context.addIssue({ code: 'custom', path: [key], message: WITHIN_ENTRY });
    return { feeds: gtfsRt, everyMs };
  });
}

const WITHIN_ENTRY = 'it within the entry of its feed: it can stand here only where gtfsRt is one URL';

type Feed = z.output<ReturnType<typeof feedsSchema>>[number];

function feedsSchema(shape: ReturnType<typeof feedShape>) {
  const feed = strictMapping('the URL of a feed, or a mapping with its url', { url: feedUrl(), ...shape });
  const feeds = z
    .array(
      z.preprocess((value) => (typeof value === 'string' ? { url: value } : value), feed),
      { error: 'a URL or a list of URLs' },
    )
    .min(1, 'at least one feed')
    .superRefine((all, context) => {
      for (const [index, { origin }] of all.entries()) {
        if (origin === undefined || all.findIndex((other) => other.origin === origin) === index) continue;
        const message = 'a name that no other feed of the stream has';
        context.addIssue({ code: 'custom', path: [index, 'origin'], message });
      }
    });
  return z.preprocess((value) => (Array.isArray(value) || value === undefined ? value : [value]), feeds);
}

function feedUrl() {
  const expected = 'an http or https URL of a GTFS-Realtime feed';
  return z.string({ error: expected }).refine(isHttpUrl, expected);
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
