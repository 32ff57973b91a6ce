import { isBaseUrl, isStreamName, RESERVED_NAMES } from '@ldes-live/server';
import { z } from 'zod';
import { parseDuration } from './duration.ts';
import { type Environment, expandEnvironment } from './expand-environment.ts';

/** The shortest interval between two polls of a feed that a configuration may ask for, in milliseconds. */
const MIN_EVERY_MS = 100;
/** The longest, in milliseconds: a day. */
const MAX_EVERY_MS = 86_400_000;

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The shape of a configuration. Its messages say what is expected; for unknown keys they list the known ones,
 * separated by ", ".
 *
 * @param environment - what `${NAME}` in the value of a header field stands for
 */
export function configSchema(environment: Environment) {
  const feed = strict('the URL of a feed, or a mapping with its url and headers', {
    url: feedUrl(),
    headers: z
      .record(checked(FIELD_NAME, 'the name of an HTTP header field'), fieldValue(environment), {
        error: 'a mapping of HTTP header fields',
      })
      .default({}),
    keys: strict('a mapping with trip or vehicle', { trip: keyFields(), vehicle: keyFields() }).optional(),
  });
  const feeds = z
    .array(
      z.preprocess((value) => (typeof value === 'string' ? { url: value } : value), feed),
      { error: 'a URL or a list of URLs' },
    )
    .min(1, 'at least one feed');
  const source = strict('a mapping with gtfsRt and every', {
    gtfsRt: z.preprocess((value) => (Array.isArray(value) || value === undefined ? value : [value]), feeds),
    every: duration(),
  }).transform(({ gtfsRt, every }) => ({ feeds: gtfsRt, everyMs: every }));
  const stream = strict('a mapping with a source', {
    title: z.string({ error: 'a title in quotes' }).min(1, 'a title in quotes').optional(),
    source,
    updates: z.literal('unpredictable', { error: '"unpredictable", or the key left out' }).optional(),
  });
  return strict('a mapping with publicUrl and streams', {
    publicUrl: publicUrl(),
    store: store(),
    streams: z
      .record(streamName(), stream, { error: 'a mapping of stream names to streams' })
      .refine((streams) => Object.keys(streams).length > 0, 'at least one stream'),
  });
}

/** An object without other keys than those of its shape. */
function strict<Shape extends z.ZodRawShape>(expected: string, shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? known : expected) });
}

function checked(pattern: RegExp, expected: string) {
  return z.string({ error: expected }).regex(pattern, expected);
}

function feedUrl() {
  const expected = 'an http or https URL of a GTFS-Realtime feed';
  return z.string({ error: expected }).refine(isHttpUrl, expected);
}

function publicUrl() {
  const expected =
    'the http or https URL that readers reach the server at, ending in "/", such as https://live.example.org/';
  return z.string({ error: expected }).refine(isBaseUrl, expected);
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function store() {
  const expected = 'a folder, such as ./data, or memory (no other stores are supported)';
  return z
    .string({ error: expected })
    .refine((value) => value.trim() !== '' && !value.includes('://'), expected)
    .default('./data');
}

function duration() {
  const expected = 'a duration from 100ms to 24h with its unit (ms, s, m or h), such as 20s';
  return z.string({ error: expected }).transform((text, context) => {
    const durationMs = parseDuration(text);
    if (durationMs !== undefined && durationMs >= MIN_EVERY_MS && durationMs <= MAX_EVERY_MS) return durationMs;
    context.addIssue({ code: 'custom', message: expected, input: text });
    return z.NEVER;
  });
}

function streamName() {
  const expected = `a name of 1 to 64 of a-z, 0-9 and "-" that starts with no "-" and is none of ${RESERVED_NAMES.join(', ')}`;
  return z.string().refine(isStreamName, expected);
}

function keyFields() {
  const expected = 'a list of field names, such as [trip_id, start_date]';
  return z
    .array(z.string({ error: 'the name of a field' }).min(1, 'the name of a field'), { error: expected })
    .min(1, expected)
    .optional();
}

function fieldValue(environment: Environment) {
  const expected = 'the text of an HTTP header field';
  return z.string({ error: expected }).transform((value, context) => {
    const { text, missing } = expandEnvironment(value, environment);
    for (const name of missing) {
      context.addIssue({ code: 'custom', message: `the environment variable ${name} to be set`, input: value });
    }
    if (!FIELD_VALUE.test(text)) context.addIssue({ code: 'custom', message: expected, input: value });
    return text;
  });
}
