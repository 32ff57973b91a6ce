/*
 * What our server publishes in measurements: states with the stamp of the instant they were due, as drafts of commits.
 *
 *   sized    a version of every entity in each commit, so many entities and so long a remark that the event has a size
 *   single   a version of one entity, at random
 *   demo     what the demonstration publishes, recorded beforehand
 *   posts    messages of the users of a request and reply system, as large as published ones
 *   <.../entities/000001> ex:vacant 137 ; ex:publishedAt "published-at:0000000987654321"
 */
import { createMemoryStore } from '@ldes-live/log';
import { type Draft, describeStream, literal, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import { STAMP_BYTES, stamp } from '../timing.ts';

/** Base of the IRIs of what is published. */
export const PUBLIC_URL = 'http://bench.invalid/';

const EX = 'http://example.org/parking#';

/** IRI of an entity: its number has six digits, at the end. */
export function entityIri(number: number): string {
  return `${PUBLIC_URL}vehicles/entities/${String(number).padStart(6, '0')}`;
}

/**
 * A new state of an entity: how many places a car park has left, and when that was due.
 *
 * @param noteBytes - length of a remark, by which the size of the event can be chosen
 */
export function stampedState(number: number, stampMicros: number, noteBytes = 0): Draft {
  const entity = entityIri(number);
  const subject = namedNode(entity);
  const text = stamp(stampMicros);
  const vacant = 100 + ((number * 37 + stampMicros) % 900);
  return {
    kind: 'upsert',
    entity,
    origin: 'bench',
    fingerprint: text,
    quads: [
      quad(subject, namedNode(rdf.type), namedNode(`${EX}CarPark`)),
      quad(subject, namedNode(`${EX}name`), literal(`Car park ${String(number).padStart(6, '0')}`)),
      quad(subject, namedNode(`${EX}spaces`), literal('1000', xsd.integer)),
      quad(subject, namedNode(`${EX}vacant`), literal(String(vacant), xsd.integer)),
      quad(subject, namedNode(`${EX}publishedAt`), literal(text)),
      ...(noteBytes > 0 ? [quad(subject, namedNode(`${EX}note`), literal('-'.repeat(noteBytes)))] : []),
    ],
  };
}

/** How to make commits whose event has a size. */
export interface CommitSize {
  readonly entities: number;
  /** Length of the remark of the first entity. */
  readonly noteBytes: number;
}

/** A state of each entity. */
export function sizedCommit({ entities, noteBytes }: CommitSize, stampMicros: number): Draft[] {
  return Array.from({ length: entities }, (_, number) => stampedState(number, stampMicros, number ? 1 : noteBytes));
}

/**
 * How many entities, and how long a remark, make an event of a size.
 *
 * @param eventBytesOf - the size of an event of such a commit
 */
export async function sizeCommits(
  eventBytes: number,
  eventBytesOf: (size: CommitSize) => Promise<number>,
): Promise<CommitSize> {
  const two = await eventBytesOf({ entities: 2, noteBytes: 1 });
  const three = await eventBytesOf({ entities: 3, noteBytes: 1 });
  const entities = Math.max(2, Math.floor((eventBytes - two) / (three - two)) + 2);
  const left = eventBytes - (two + (entities - 2) * (three - two));
  return { entities, noteBytes: 1 + Math.max(0, left) };
}

const SEED = 2020;
/** A Monday morning. */
const DEMO_START_MS = Date.UTC(2026, 2, 2, 8);

/**
 * What the demonstration publishes of its vehicles, commit by commit: its simulation, encoded as GTFS-Realtime and read as a
 * feed is, with a clock that goes on as soon as it is waited for.
 *
 * @param commits - how many, 1 or more
 */
export async function recordDemo(name: string, commits: number): Promise<(readonly Draft[])[]> {
  const { createGtfsRtSource, encodeFeed } = await import('@ldes-live/sources');
  const { demoFeeds, TICK_SECONDS, tickAt, transitNetwork } = await import('ldes-live/demo');
  const description = describeStream({ publicUrl: PUBLIC_URL, name });
  const network = transitNetwork(SEED);
  let nowMs = DEMO_START_MS;
  const clock = () => nowMs;
  const store = createMemoryStore({ clock, random: Math.random });
  const log = await store.open(description);
  const source = createGtfsRtSource(
    {
      url: 'http://demo.invalid/feed.pb',
      publicUrl: PUBLIC_URL,
      streamUrl: description.url,
      intervalMs: 1000 * TICK_SECONDS,
    },
    {
      clock,
      fetch: async () => {
        const body = encodeFeed(demoFeeds(network, tickAt(nowMs)).vehiclePositions);
        return new Response(new Uint8Array(body), { headers: { 'content-type': 'application/x-protobuf' } });
      },
      sleep: async (durationMs) => {
        nowMs += Math.max(1, durationMs);
      },
    },
  );
  const recorded: (readonly Draft[])[] = [];
  const ending = new AbortController();
  for await (const drafts of source.drafts(log.latest, ending.signal)) {
    recorded.push(drafts);
    await log.append(drafts);
    if (recorded.length === commits) ending.abort();
  }
  await store.close();
  return recorded;
}

/** The streams that take posts, and who may post to both. */
export const REQUESTS = 'requests';
export const REPLIES = 'replies';
export const TOKEN = 'token-of-one-measurement';

/** What a reply or an update says, bytes: as was published. */
export const REPLY_BYTES = 256;

const EXAMPLE = 'http://example.org/';
export const PAYLOAD = `${EXAMPLE}payload`;

/** IRI of a user, the subject that its replies are about: its number has six digits, at the end. */
export function userIri(user: number): string {
  return `${EXAMPLE}users/${String(user).padStart(6, '0')}`;
}

/** What a message says: the instant that it was due, filled up to its size. */
export function payload(stampMicros: number, bytes: number): string {
  return stamp(stampMicros) + '-'.repeat(bytes - STAMP_BYTES);
}

/** An update of a user's subject, as large as a reply. */
export function updateDraft(user: number, stampMicros: number): Draft {
  const entity = userIri(user);
  const text = payload(stampMicros, REPLY_BYTES);
  const quads = [quad(namedNode(entity), namedNode(PAYLOAD), literal(text))];
  return { kind: 'upsert', entity, origin: 'bench', fingerprint: text, quads };
}
