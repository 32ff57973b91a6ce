import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { fc } from '@ldes-live/test-support/properties';
import { createRtReader, type RtReaderOptions } from '../../src/gtfs/feed.ts';
import { enums, type FeedEntity, type FeedMessage } from '../../src/gtfs/generated/gtfs-realtime.ts';
import {
  type EnumName,
  type MessageName,
  type MessagePlan,
  type PlannedField,
  planOf,
  type ScalarType,
} from '../../src/gtfs/messages.ts';
import { encodeFeed } from '../../src/gtfs/wire.ts';
import type { Candidate } from '../../src/source.ts';

/** The base URL that the tests publish under. */
export const publicUrl = 'https://live.example.org/';
export const streamUrl = `${publicUrl}vehicles`;

/** What a feed says, and the drafts of it all. */
export async function snapshot(feed: FeedMessage | Uint8Array, options: Partial<RtReaderOptions> = {}) {
  const read = createRtReader({ publicUrl, streamUrl, ...options });
  const said = await read(feed instanceof Uint8Array ? feed : encodeFeed(feed));
  const draftOf = (one: Candidate): UpsertDraft => ({ kind: 'upsert', origin: 'feed', ...one, quads: one.quads() });
  return { ...said, drafts: said.entities.map(draftOf) };
}

/** A feed of these entities. */
export function feedOf(entity: readonly FeedEntity[], header: Partial<FeedMessage['header']> = {}): FeedMessage {
  return { header: { gtfs_realtime_version: '2.0', timestamp: 1_699_405_500, ...header }, entity };
}

/** What King County Metro sends of a bus. */
export const bus: FeedEntity = {
  id: '1630596716_4382',
  vehicle: {
    trip: { trip_id: '49195152', start_date: '20210902', route_id: '100001' },
    position: { latitude: Math.fround(47.636154), longitude: Math.fround(-122.370354) },
    current_stop_sequence: 169,
    timestamp: 1_630_596_690,
    stop_id: '2470',
    vehicle: { id: '4382' },
  },
};

/** What Caltrain sends of a train; the delay is added. */
export const train: FeedEntity = {
  id: '124',
  trip_update: {
    trip: { trip_id: '124', start_date: '20231107', schedule_relationship: 'SCHEDULED', route_id: 'L1' },
    stop_time_update: [
      { stop_sequence: 20, departure: { time: 1_699_405_504 }, stop_id: '70232' },
      {
        stop_sequence: 21,
        arrival: { delay: 60, time: 1_699_405_801 },
        departure: { time: 1_699_405_801 },
        stop_id: '70242',
      },
    ],
    vehicle: { id: '124' },
  },
};

/** What Brest sends of a detour. */
export const detour: FeedEntity = {
  id: '2ea09850-74d9-4db7-a537-d97d821956e8',
  alert: {
    active_period: [{ start: 1_631_635_200, end: 1_640_365_200 }],
    informed_entity: [{ route_id: '45' }],
    cause: 'CONSTRUCTION',
    effect: 'DETOUR',
    url: { translation: [{ text: 'https://www.bibus.fr/deviation/20265cf9.pdf' }] },
    header_text: { translation: [{ text: "L 45 Prolongation des travaux rue de Kermaria jusqu'au 24/12" }] },
  },
};

const scalars: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  string: fc.string({ unit: 'grapheme', maxLength: 6 }),
  bool: fc.boolean(),
  uint32: fc.integer({ min: 0, max: 0xffffffff }),
  int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  uint64: fc.maxSafeNat(),
  int64: fc.maxSafeInteger(),
  float: fc.float(),
  double: fc.double(),
};

function one({ message, type, of }: PlannedField): fc.Arbitrary<unknown> {
  if (message) return planned(message);
  return type === 'enum' ? fc.constantFrom(...Object.keys(enums[of as EnumName])) : scalars[type as ScalarType];
}

function planned({ fields, required }: MessagePlan): fc.Arbitrary<object> {
  const values = fields.map((field) => {
    const value = field.repeated ? fc.array(one(field), { minLength: 1, maxLength: 2 }) : one(field);
    return [field.name, value] as const;
  });
  return fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [...required],
    noNullPrototype: true,
  });
}

/** Any value of a message of the descriptor: each optional field set or not. */
export const arbitraryMessage = (name: MessageName): fc.Arbitrary<object> => planned(planOf(name));

/** Any feed of a known version. */
export const arbitraryFeed: fc.Arbitrary<FeedMessage> = fc.record(
  {
    header: arbitraryMessage('FeedHeader').map((header) => ({ ...header, gtfs_realtime_version: '2.0' })),
    entity: fc.array(arbitraryMessage('FeedEntity') as fc.Arbitrary<FeedEntity>, { minLength: 1, maxLength: 3 }),
  },
  { noNullPrototype: true },
);

/** Some of them, always the same. */
export const sampleFeeds = (count: number): FeedMessage[] => fc.sample(arbitraryFeed, { numRuns: count, seed: 7 });
