import type { GtfsRtLimits } from '@ldes-live/sources';
import { z } from 'zod';
import { durationSchema } from './duration-schema.ts';
import { integer } from './integer.ts';
import { strictMapping } from './strict-mapping.ts';

/** What the sources call the limits, and messages with them. */
const NAMES = {
  bytes: 'limitBytes',
  headers: 'limitHeadersMs',
  body: 'limitBodyMs',
  redirects: 'limitRedirects',
  entities: 'limitEntities',
  entityBytes: 'limitEntityBytes',
  depth: 'limitDepth',
  goneShare: 'limitGoneShare',
} as const satisfies Record<string, keyof GtfsRtLimits>;

/** How much of a feed is taken, and how long it may take. */
export function limitsSchema() {
  return strictMapping(`a mapping with any of ${Object.keys(NAMES).join(', ')}`, {
    bytes: integer(1).exactOptional(),
    headers: durationSchema({ least: '1ms', example: '10s' }).exactOptional(),
    body: durationSchema({ least: '1ms', example: '30s' }).exactOptional(),
    redirects: integer(0, 100).exactOptional(),
    entities: integer(1).exactOptional(),
    entityBytes: integer(1).exactOptional(),
    // What the specification of GTFS-Realtime nests.
    depth: integer(6).exactOptional(),
    goneShare: share().exactOptional(),
  } satisfies Record<keyof typeof NAMES, z.ZodType>).transform(
    (limits): GtfsRtLimits =>
      Object.fromEntries(Object.entries(limits).map(([name, value]) => [NAMES[name as keyof typeof NAMES], value])),
  );
}

/** A share of a whole. */
export function share() {
  const expected = 'a number from 0 to 1';
  return z.number({ error: expected }).refine((value) => value >= 0 && value <= 1, expected);
}
