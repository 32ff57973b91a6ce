import { DEFAULT_TIMETABLE_PARTS, TIMETABLE_PARTS, type TimetableSourceLimits } from '@ldes-live/sources';
import { z } from 'zod';
import { durationSchema } from '../duration-schema.ts';
import type { Environment } from '../expand-environment.ts';
import { integer } from '../integer.ts';
import { share } from '../limits-schema.ts';
import { renamed } from '../renamed.ts';
import { strictMapping } from '../strict-mapping.ts';
import { httpUrl, requestShape } from './http-fields.ts';
import type { SourceConfig } from './source-schema.ts';

/** What the source calls the limits, and messages with them. */
const NAMES = {
  bytes: 'limitBytes',
  headers: 'limitHeadersMs',
  body: 'limitBodyMs',
  redirects: 'limitRedirects',
  files: 'limitFiles',
  unpackedBytes: 'limitUnpackedBytes',
  rows: 'limitRows',
  trips: 'limitTrips',
  points: 'limitPoints',
  shapePoints: 'limitShapePoints',
  goneShare: 'limitGoneShare',
} as const satisfies Record<string, keyof TimetableSourceLimits>;

/** A static GTFS timetable: the URL of its zip. */
export function timetableSchema(environment: Environment) {
  const expected = `a list of at least one of ${TIMETABLE_PARTS.join(', ')}`;
  return strictMapping('a mapping with gtfs', {
    gtfs: httpUrl('an http or https URL of the zip of a static GTFS'),
    every: durationSchema({ least: '100ms', example: '6h' }).exactOptional(),
    include: z
      .array(z.literal(TIMETABLE_PARTS, { error: `one of ${TIMETABLE_PARTS.join(', ')}` }), { error: expected })
      .min(1, expected)
      .default([...DEFAULT_TIMETABLE_PARTS]),
    limits: timetableLimitsSchema().exactOptional(),
    ...requestShape(environment),
  }).transform(({ gtfs: url, every, ...rest }) => ({
    kind: 'timetable' as const,
    ...rest,
    url,
    ...(every !== undefined && { everyMs: every }),
  }));
}

function timetableLimitsSchema() {
  return strictMapping(`a mapping with any of ${Object.keys(NAMES).join(', ')}`, {
    bytes: integer(1).exactOptional(),
    headers: durationSchema({ least: '1ms', example: '10s' }).exactOptional(),
    body: durationSchema({ least: '1ms', example: '2m' }).exactOptional(),
    redirects: integer(0, 100).exactOptional(),
    files: integer(1, 65_535).exactOptional(),
    unpackedBytes: integer(1).exactOptional(),
    rows: integer(1).exactOptional(),
    trips: integer(1).exactOptional(),
    points: integer(1).exactOptional(),
    shapePoints: integer(2).exactOptional(),
    goneShare: share().exactOptional(),
  } satisfies Record<keyof typeof NAMES, z.ZodType>).transform(
    (limits): TimetableSourceLimits => renamed(limits, NAMES),
  );
}

/**
 * Notes each feed whose `timetable` is not a stream of the configuration that publishes a timetable.
 *
 * @param streams - by their names
 * @see specs/timetable.md TT-3
 */
export function noteMissingTimetables(
  streams: Readonly<Record<string, { readonly source: SourceConfig }>>,
  context: z.RefinementCtx,
): void {
  const timetables = Object.keys(streams).filter((name) => streams[name]?.source.kind === 'timetable');
  const known = timetables.length > 0 ? timetables.join(', ') : 'there is none: add one with source: { gtfs: URL }';
  const message = `the name of a stream whose source is a timetable (${known})`;
  for (const [name, { source }] of Object.entries(streams)) {
    for (const [index, { timetable }] of (source.kind === 'gtfsRt' ? source.feeds : []).entries()) {
      if (timetable === undefined || timetables.includes(timetable)) continue;
      const path = [name, 'source', 'gtfsRt', index, 'timetable'];
      context.addIssue({ code: 'custom', path, message, input: timetable });
    }
  }
}
