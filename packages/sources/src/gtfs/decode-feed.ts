import { isStreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { FeedEntity, FeedMessage } from './feed-message.ts';
import { missingField } from './missing-field.ts';
import { type MessageInTheMaking, type Reading, readMessage, startReading } from './read-message.ts';
import { unknownFieldCounter } from './unknown-field-counter.ts';
import { planOf } from './wire-plan.ts';

const VERSIONS: ReadonlySet<string> = new Set(['1', '1.0', '2', '2.0']);

/** How much of a feed is taken. */
export interface DecodeLimits {
  /**
   * Messages and groups within each other, the feed itself being 1: at least 6, which the specification needs.
   * @defaultValue 32
   */
  readonly limitDepth?: number;
  /**
   * Entities in one feed, skipped ones included.
   * @defaultValue 200000
   */
  readonly limitEntities?: number;
  /**
   * Names in `unknownFields`; what is beyond is counted under `other`.
   * @defaultValue 100
   */
  readonly limitUnknownNames?: number;
}

/** An entity that was left out, and why. */
export interface SkippedEntity {
  /** What could be read of it; not to be published, only to be recognised. */
  readonly entity: Partial<FeedEntity>;
  /** The required field that it lacks, such as `Position.latitude`. */
  readonly reason: string;
}

/** A feed and what was found while reading it. */
export interface DecodedFeed {
  readonly feed: FeedMessage;
  /** How often each field came that the descriptor does not know, by message and number: `TripDescriptor.1001`. */
  readonly unknownFields: Readonly<Record<string, number>>;
  readonly skippedEntities: readonly SkippedEntity[];
}

/**
 * Reads a GTFS-Realtime feed, all of it or nothing but for entities that lack a required field.
 *
 * @param bytes - the body of the response, decompressed
 * @throws {@link StreamError} `ERR_FEED_EMPTY` - 0 bytes
 * @throws {@link StreamError} `ERR_FEED_MALFORMED` - not Protocol Buffers, or cut short
 * @throws {@link StreamError} `ERR_FEED_HEADER_MISSING` - no header
 * @throws {@link StreamError} `ERR_FEED_VERSION` - no version, or an unknown one
 * @throws {@link StreamError} `ERR_FEED_TOO_DEEP` - nested beyond `limitDepth`
 * @throws {@link StreamError} `ERR_FEED_TOO_MANY_ENTITIES` - more than `limitEntities`
 * @see specs/gtfs-realtime.md GTFS-1
 */
export function decodeFeed(bytes: Uint8Array, limits: DecodeLimits = {}): DecodedFeed {
  const { limitDepth = 32, limitEntities = 200_000, limitUnknownNames = 100 } = limits;
  if (bytes.length === 0) throw errors.ERR_FEED_EMPTY({});
  const unknown = unknownFieldCounter(limitUnknownNames);
  const reading = startReading(bytes, { limitDepth, limitEntities, onUnknown: unknown.add });
  const message = readWhole(reading);
  checkHeader(message, bytes.length);
  const { entities, skippedEntities } = reading.lacksRequired
    ? separate((message.entity ?? []) as MessageInTheMaking[])
    : { entities: message.entity, skippedEntities: [] };
  if (entities !== undefined) message.entity = entities;
  return { feed: message as unknown as FeedMessage, unknownFields: unknown.counts(), skippedEntities };
}

function readWhole(reading: Reading): MessageInTheMaking {
  const message = {} as MessageInTheMaking;
  try {
    readMessage(reading, planOf('FeedMessage'), message, reading.bytes.length, 1);
  } catch (error) {
    if (isStreamError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw errors.ERR_FEED_MALFORMED({ offset: reading.offset, reason, start: printable(reading.bytes) }, error);
  }
  return message;
}

function checkHeader(message: MessageInTheMaking, lengthBytes: number): void {
  const header = message.header as MessageInTheMaking | undefined;
  if (header === undefined) throw errors.ERR_FEED_HEADER_MISSING({ lengthBytes });
  const version = String(header.gtfs_realtime_version ?? '');
  // Cut, since the text comes from outside and ends up in answers and logs.
  if (!VERSIONS.has(version)) throw errors.ERR_FEED_VERSION({ version: version.slice(0, 20) });
}

function separate(all: readonly MessageInTheMaking[]) {
  const entities: MessageInTheMaking[] = [];
  const skippedEntities: SkippedEntity[] = [];
  for (const entity of all) {
    const reason = missingField(planOf('FeedEntity'), entity);
    if (reason === undefined) entities.push(entity);
    else skippedEntities.push({ entity: entity as Partial<FeedEntity>, reason });
  }
  return { entities, skippedEntities };
}

// What a person recognises a web page or a JSON answer by.
function printable(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 16)).replace(/[^ -~]/g, '.');
}
