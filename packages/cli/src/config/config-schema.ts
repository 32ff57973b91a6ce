import { isBaseUrl, isStreamName, RESERVED_NAMES } from '@ldes-live/server';
import { z } from 'zod';
import type { Environment } from './expand-environment.ts';
import { sourceSchema } from './source-schema.ts';
import { strictMapping } from './strict-mapping.ts';

/**
 * The shape of a configuration. Its messages say what is expected; for unknown keys they list the known ones,
 * separated by ", ".
 *
 * @param environment - what `${NAME}` in the value of a header field stands for
 * @see specs/configuration.md
 */
export function configSchema(environment: Environment) {
  const stream = strictMapping('a mapping with a source', {
    title: z.string({ error: 'a title in quotes' }).min(1, 'a title in quotes').optional(),
    source: sourceSchema(environment),
    updates: z.literal('unpredictable', { error: '"unpredictable", or the key left out' }).optional(),
  });
  return strictMapping('a mapping with publicUrl and streams', {
    publicUrl: publicUrl(),
    store: store(),
    streams: z
      .record(streamName(), stream, { error: 'a mapping of stream names to streams' })
      .refine((streams) => Object.keys(streams).length > 0, 'at least one stream'),
  });
}

function publicUrl() {
  const expected =
    'the http or https URL that readers reach the server at, ending in "/", such as https://live.example.org/';
  return z.string({ error: expected }).refine(isBaseUrl, expected);
}

function store() {
  const expected = 'a folder, such as ./data, or memory (no other stores are supported)';
  return z
    .string({ error: expected })
    .refine((value) => value.trim() !== '' && !value.includes('://'), expected)
    .default('./data');
}

function streamName() {
  const expected = `a name of 1 to 64 of a-z, 0-9 and "-" that starts with no "-" and is none of ${RESERVED_NAMES.join(', ')}`;
  return z.string().refine(isStreamName, expected);
}
