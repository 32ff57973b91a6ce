import { isBaseUrl, isStreamName, RESERVED_NAMES } from '@ldes-live/server';
import { z } from 'zod';
import { aboutShape } from './about-shape.ts';
import { durationSchema } from './duration-schema.ts';
import type { Environment } from './expand-environment.ts';
import { natsSchema, nodeSchema, noteUnusedNats, storeSchema } from './nats-schema.ts';
import { pushSchema } from './push-schema.ts';
import { queriesSchema } from './queries-schema.ts';
import { retentionSchema } from './retention-schema.ts';
import { noteSharedSessions } from './sources/shared-sessions.ts';
import { sourceSchema } from './sources/source-schema.ts';
import { noteMissingTimetables } from './sources/timetable-schema.ts';
import { strictMapping } from './strict-mapping.ts';
import { updatesSchema } from './updates-schema.ts';
import { webSchema } from './web-schema.ts';
import { words } from './words.ts';

/**
 * The shape of a configuration. Its messages say what is expected; for unknown keys they list the known ones,
 * separated by ", ".
 *
 * @param environment - what `${NAME}` in the value of a header field stands for
 * @see specs/configuration.md
 */
export function configSchema(environment: Environment) {
  const stream = strictMapping('a mapping with a source', {
    title: words('a title in quotes').exactOptional(),
    description: words('a text in quotes').exactOptional(),
    keywords: keywords().exactOptional(),
    ...aboutShape(),
    source: sourceSchema(environment),
    updates: updatesSchema().exactOptional(),
    // In seconds, as documents state it.
    breakEven: durationSchema({ least: '0s', most: '366d', example: '80s' })
      .transform((ms) => ms / 1000)
      .exactOptional(),
    retention: retentionSchema().exactOptional(),
    queries: queriesSchema().exactOptional(),
  });
  return strictMapping('a mapping with publicUrl and streams', {
    publicUrl: publicUrl(),
    store: storeSchema(),
    nats: natsSchema().exactOptional(),
    node: nodeSchema(environment).exactOptional(),
    push: pushSchema().exactOptional(),
    web: webSchema().exactOptional(),
    ...aboutShape(),
    streams: z
      .record(streamName(), stream, { error: 'a mapping of stream names to streams' })
      .refine((streams) => Object.keys(streams).length > 0, 'at least one stream')
      .superRefine(noteSharedSessions)
      .superRefine(noteMissingTimetables),
  }).superRefine(noteUnusedNats);
}

function publicUrl() {
  const expected =
    'the http or https URL that readers reach the server at, ending in "/", such as https://live.example.org/';
  return z.string({ error: expected }).refine(isBaseUrl, expected);
}

function keywords() {
  return z
    .array(words('a word or two in quotes'), { error: 'a list of words' })
    .min(1, 'at least one word')
    .superRefine((all, context) => {
      for (const [index, word] of all.entries()) {
        if (all.indexOf(word) === index) continue;
        context.addIssue({ code: 'custom', path: [index], message: 'each word once', input: word });
      }
    });
}

function streamName() {
  const expected = `a name of 1 to 64 of a-z, 0-9 and "-" that starts with no "-" and is none of ${RESERVED_NAMES.join(', ')}`;
  return z.string().refine(isStreamName, expected);
}
