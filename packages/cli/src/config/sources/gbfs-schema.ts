import { GBFS_FEEDS, type GbfsFeedName } from '@ldes-live/sources';
import { z } from 'zod';
import { durationSchema } from '../duration-schema.ts';
import type { Environment } from '../expand-environment.ts';
import { strictMapping } from '../strict-mapping.ts';
import { documentShape, lookupsSchema } from './documents-schema.ts';
import { checked, httpUrl } from './http-fields.ts';
import { mappingChoice, mappingShape } from './mapping-choice.ts';

/** The presets of the feeds that have one. */
const PRESETS: { readonly [Feed in GbfsFeedName]?: string } = {
  station_status: 'gbfs-station-status',
  vehicle_status: 'gbfs-vehicle-status',
  free_bike_status: 'gbfs-vehicle-status',
};

/** A feed of a GBFS system, found by its discovery document. */
export function gbfsSchema(environment: Environment) {
  return strictMapping('a mapping with gbfs and feed', {
    gbfs: httpUrl('an http or https URL of gbfs.json'),
    feed: z.literal(GBFS_FEEDS, { error: `one of ${GBFS_FEEDS.join(', ')}` }),
    every: durationSchema({ least: '100ms', example: '30s' }).exactOptional(),
    language: checked(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'a language of the system, such as en').exactOptional(),
    lookups: lookupsSchema().exactOptional(),
    ...mappingShape(),
    ...documentShape(environment),
  }).transform(({ gbfs: url, feed, every, mapping, preset, ...beside }, context) => ({
    kind: 'gbfs' as const,
    ...beside,
    url,
    feed,
    ...(every !== undefined && { everyMs: every }),
    mapping: mappingChoice({ mapping, preset }, context, PRESETS[feed]),
  }));
}
