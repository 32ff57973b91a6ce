import { durationSchema } from '../duration-schema.ts';
import type { Environment } from '../expand-environment.ts';
import { strictMapping } from '../strict-mapping.ts';
import { endpointsSchema, withBeside } from './endpoints.ts';
import { feedShape } from './feed-shape.ts';

/** GTFS-Realtime: one feed or several, polled at one interval. */
export function gtfsRtSchema(environment: Environment) {
  const shape = feedShape(environment);
  const words = { leadsTo: 'a GTFS-Realtime feed', noun: 'feed' };
  return strictMapping('a mapping with gtfsRt and every', {
    gtfsRt: endpointsSchema(shape, words),
    every: durationSchema({ least: '100ms', example: '20s' }),
    ...shape,
  }).transform(({ gtfsRt, every: everyMs, ...beside }, context) => ({
    kind: 'gtfsRt' as const,
    feeds: withBeside(gtfsRt, beside, { key: 'gtfsRt', noun: words.noun }, context),
    everyMs,
  }));
}
