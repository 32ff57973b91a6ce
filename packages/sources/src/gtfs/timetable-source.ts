import { errors } from '../errors.ts';
import { checkedNumbers, type NumberRange } from '../options.ts';
import type { FetchLimits } from '../polling/fetch.ts';
import { createPolledSource } from '../polling/polled-source.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import type { RtReaderOptions } from './feed.ts';
import { createEntityIris, type IriTemplates } from './keys.ts';
import { type PolledGtfs, polledFeed } from './realtime-source.ts';
import { readTimetable, type TimetableLimits } from './timetable.ts';
import { REFERENCES, TIMETABLE_PARTS, type TimetablePart } from './timetable-fields.ts';

/** How much of a timetable is taken, and how long it may take. */
export interface TimetableSourceLimits extends Partial<FetchLimits>, Partial<TimetableLimits> {
  /**
   * The share of the timetable's living entities that one poll may end, from 0 to 1; more must be confirmed by a later
   * poll. Trips and shapes are not counted unless it is given: a new timetable often names all of them anew.
   * @defaultValue 0.5
   */
  readonly limitGoneShare?: number;
}

/** A static GTFS timetable, and what of it is published. */
export interface TimetableSourceOptions extends PolledGtfs, Pick<RtReaderOptions, 'publicUrl' | 'streamUrl'> {
  /**
   * How often it is polled, milliseconds: 1 to 86400000, a day.
   * @defaultValue 21600000, 6 hours
   */
  readonly intervalMs?: number;
  /** What is published. @defaultValue routes, stops and agencies */
  readonly include?: readonly TimetablePart[];
  readonly limits?: TimetableSourceLimits;
}

/** What is published of a timetable unless something else is given. */
export const DEFAULT_TIMETABLE_PARTS: readonly TimetablePart[] = ['routes', 'stops', 'agencies'];

const DEFAULT_INTERVAL_MS = 21_600_000;

/** How long a zip may take, milliseconds: it is larger than other bodies, and seldom asked for. */
const DEFAULT_LIMIT_BODY_MS = 120_000;

/** What is read of a timetable unless something else is given, and the least and the most that may be. */
export const RANGES: Readonly<Record<keyof TimetableLimits, NumberRange>> = {
  limitFiles: [1000, 1, 65_535],
  limitUnpackedBytes: [96 * 1024 * 1024, 1],
  limitRows: [200_000, 1],
  limitTrips: [200_000, 1],
  limitPoints: [2_000_000, 1],
  limitShapePoints: [20_000, 2],
};

/**
 * Makes the source of a static GTFS timetable that is polled over HTTP: each route, stop and agency, on request each trip
 * and shape, is an entity of its stream.
 *
 * @param environment - the world as the source sees it; where parts are absent, as it is
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range
 * @example
 * ```ts
 * const { publicUrl, url: streamUrl } = describeStream({ publicUrl: 'https://live.example.org/', name: 'timetable' });
 * const source = createTimetableSource({ url: 'https://agency.example/gtfs.zip', publicUrl, streamUrl });
 * for await (const batch of source.drafts(log.latest, signal)) await log.append(batch);
 * ```
 * @see specs/timetable.md TT-1
 */
export function createTimetableSource(
  options: TimetableSourceOptions,
  environment: Partial<SourceEnvironment> = {},
): Source {
  const { publicUrl, streamUrl, intervalMs = DEFAULT_INTERVAL_MS, include = DEFAULT_TIMETABLE_PARTS } = options;
  const { limits = {} } = options;
  const polled = polledFeed({ ...options, intervalMs }, { limitBodyMs: DEFAULT_LIMIT_BODY_MS });
  checkParts(include);
  const iris = createEntityIris({ base: publicUrl, stream: streamUrl }, templatesBelow('{+stream}', TIMETABLE_PARTS));
  const reading = { include: new Set(include), iris, limits: checkedNumbers(RANGES, limits) };
  return createPolledSource(
    {
      ...polled,
      // A new timetable often names all its trips and shapes anew.
      endsFreely: (entity) =>
        limits.limitGoneShare === undefined && /^\/entities\/(trips|shapes)\//.test(entity.slice(streamUrl.length)),
      keepsBody: false,
      read: ({ pages: [bytes] }) => readTimetable(bytes as Uint8Array, reading),
    },
    { ...systemEnvironment, ...environment },
  );
}

/**
 * The IRI templates by which a feed refers to the entities of a timetable.
 *
 * @param stream - the name of the stream of the timetable
 * @param include - what that stream publishes
 * @see specs/timetable.md TT-8
 */
export function timetableIris(
  stream: string,
  include: readonly TimetablePart[] = DEFAULT_TIMETABLE_PARTS,
): Partial<IriTemplates> {
  return templatesBelow(`{+base}${stream}`, include);
}

function templatesBelow(root: string, parts: readonly TimetablePart[]): Partial<IriTemplates> {
  return Object.fromEntries(parts.map((part) => [REFERENCES[part], `${root}/entities/${part}/{id}`]));
}

function checkParts(include: readonly TimetablePart[]): void {
  const unknown = include.find((part) => !TIMETABLE_PARTS.includes(part));
  if (include.length > 0 && unknown === undefined) return;
  const expected = `at least one of ${TIMETABLE_PARTS.join(', ')}`;
  throw errors.ERR_SOURCE_OPTION({ option: 'include', value: unknown ?? 'empty', expected });
}
