/* One schedule of faults, run in virtual time: a real server, the proxy, a real client, and what came of it.
 *
 * Servers have many streams each: to make a server takes longer than to follow a stream. The time goes on from one
 * schedule to the next. Looks at the client on the way show whether what it claims of its lag is true.
 */
import { type Change, createLiveClient, type Follower, type FollowOptions } from '@ldes-live/client';
import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type Log } from '@ldes-live/log';
import {
  type Draft,
  describeStream,
  isStreamError,
  literal,
  type Member,
  namedNode,
  parseCursor,
  quad,
  rdf,
} from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import type { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { valueDraft } from '../../support/published-log.ts';
import { type FaultChannel, type FaultyExchange, type FaultyProxy, faultyProxy } from './proxy.ts';
import type { FaultPlan, FaultSchedule, PlannedCommit, PlannedFilter, PlannedVersion } from './schedules.ts';

/** A stream of a real server behind a faulty proxy, for one use. */
export interface FaultStream {
  readonly url: string;
  readonly log: Log;
  /** What the server states of the next update; nothing at first. */
  schedule: Schedule;
  /** Sets what befalls its exchanges. */
  plan(plan: FaultPlan): FaultChannel;
  /** A new state of a numbered entity, or its end; with a place on the equator, or nowhere, it has a class too. */
  draft(entity: number, kind: 'upsert' | 'delete', place?: Place): Draft;
}

const STREAMS_PER_SERVER = 25;

/** Streams as they are needed. One server has many of them: to make a server takes longer than to follow a stream. */
export function faultWorlds(time: VirtualTime) {
  const closes: (() => Promise<void>)[] = [];
  const left: FaultStream[] = [];
  return {
    next: async () => {
      if (left.length === 0) left.push(...(await openStreams(time, closes)));
      return left.shift() as FaultStream;
    },
    close: async () => {
      for (const close of closes) await close();
    },
  };
}

async function openStreams(time: VirtualTime, closes: (() => Promise<void>)[]): Promise<FaultStream[]> {
  const { clock } = time;
  const proxy = await faultyProxy(time);
  const store = createMemoryStore({ clock, random: Math.random });
  const streams = await Promise.all(
    Array.from({ length: STREAMS_PER_SERVER }, (_, index) => openStream(proxy, store, `s${index}`)),
  );
  const server = await createLiveServer({
    publicUrl: proxy.url,
    streams: streams.map(({ stream, description }) => ({
      description,
      log: stream.log,
      schedule: () => stream.schedule,
    })),
    clock,
    push: { shutdownGraceMs: 0 },
  });
  proxy.port = await server.listen({ host: '127.0.0.1', port: 0 });
  closes.push(async () => {
    await proxy.close();
    await server.close();
    await store.close();
  });
  return streams.map(({ stream }) => stream);
}

async function openStream(proxy: FaultyProxy, store: ReturnType<typeof createMemoryStore>, name: string) {
  const description = describeStream({ publicUrl: proxy.url, name });
  let version = 0;
  const stream: FaultStream = {
    url: description.url,
    log: await store.open(description),
    schedule: { kind: 'unknown' },
    plan: (plan) => proxy.plan(name, plan),
    draft: (number, kind, place) => {
      version += 1;
      const draft = valueDraft(description.url, number, version);
      if (kind === 'delete') return { kind, entity: draft.entity, origin: 'test' };
      return place ? { ...draft, quads: [...draft.quads, ...classed(draft.entity, number, place)] } : draft;
    },
  };
  return { stream, description };
}

/** The class of the entities with even numbers, unless a version of them is turned. */
const EVEN = 'http://example.org/Even';
const WGS = 'http://www.w3.org/2003/01/geo/wgs84_pos#';

type Place = Pick<PlannedVersion, 'longitude' | 'isTurned'>;

function classed(entity: string, number: number, { longitude, isTurned = false }: Place) {
  const said = (iri: string, object: Parameters<typeof quad>[2]) => quad(namedNode(entity), namedNode(iri), object);
  const type = (number % 2 === 0) !== isTurned ? [said(rdf.type, namedNode(EVEN))] : [];
  if (longitude === undefined) return type;
  return [...type, said(`${WGS}lat`, literal('0')), said(`${WGS}long`, literal(String(longitude)))];
}

/** A change as the reader got it. */
export interface ReadChange {
  readonly change: Change;
  readonly atMs: number;
}

/** What came of a schedule. */
export type FaultTrace = Awaited<ReturnType<typeof runFaults>>;

/** How long a client may take to read on when nothing is wrong any more, and how often it is looked at. */
const ARRIVAL_MS = 1_000_000;
const LOOK_MS = 500;

/** Follows a stream while a schedule of faults befalls it, and after. */
export async function runFaults(given: FaultSchedule, stream: FaultStream, time: VirtualTime) {
  const channel = stream.plan(given);
  if (given.history > 0) await publishHistory(stream, given);
  const stop = new AbortController();
  const startedMs = time.clock();
  const changes: ReadChange[] = [];
  // What the reading threw, before it was begun again.
  const thrown: unknown[] = [];
  const follower = followerOf(given, stream, time, stop.signal);
  const reading = readOn(follower, given.readMs, time, stop.signal, changes, thrown);
  const samples: ReturnType<typeof sample>[] = [];
  const members: Member[] = [];
  const unsubscribe = stream.log.subscribe((commit) => members.push(...commit.members));
  const stopLooking = time.every(LOOK_MS, () => {
    const stateTo = given.from === 'latest' ? stateEnd(channel.exchanges, changes[0]?.atMs) : 0;
    samples.push(sample(follower, wanted(members, given, stateTo, changes), time));
  });
  const faultsEndMs = startedMs + given.faultsMs;
  time.at(faultsEndMs, () => channel.mend());
  const endMs = Math.max(faultsEndMs, planCommits(given, stream, time));
  await time.pass(endMs - startedMs);
  // What shows whether it still listens.
  stream.schedule = { kind: 'unknown' };
  await stream.log.append([lastDraft(given, stream)]);
  const head = stream.log.head.cursor.sequence;
  while (positionOf(follower) !== head && time.nowMs < endMs + ARRIVAL_MS) await time.next();
  const hasArrived = positionOf(follower) === head;
  const endedMs = time.clock();
  stopLooking();
  unsubscribe();
  stop.abort();
  await reading;
  await time.settled();
  const all = await stream.log.read(0, 10_000);
  const { exchanges } = channel;
  return { changes, members: all, exchanges, thrown, samples, follower, startedMs, endedMs, hasArrived };
}

function followerOf(given: FaultSchedule, stream: FaultStream, time: VirtualTime, signal: AbortSignal): Follower {
  let draws = 0;
  const client = createLiveClient({
    mal: given.mal,
    clock: time.clock,
    sleep: time.sleep,
    random: () => given.random[draws++ % given.random.length] as number,
    limits: { requestMs: 60_000, openMs: 30_000, silenceMs: 60_000 },
  });
  const { from, versions, filter } = given;
  return client.follow(stream.url, { from, versions, signal, ...(filter && filterOptions(filter, stream.url)) });
}

// One that the reader is given, whatever part of the stream it asked for.
function lastDraft({ filter }: FaultSchedule, stream: FaultStream): Draft {
  if (!filter) return stream.draft(99, 'upsert');
  const { numbers = [0], isEven, boxes } = filter;
  const number = numbers.find((one) => !isEven || one % 2 === 0) as number;
  return stream.draft(number, 'upsert', { longitude: boxes?.[0]?.west });
}

/** What asks for a part of a stream. */
export function filterOptions({ numbers, isEven, boxes }: PlannedFilter, url: string): FollowOptions {
  return {
    ...(numbers && { entity: numbers.map((number) => `${url}/entities/${number}`) }),
    ...(isEven && { type: EVEN }),
    ...(boxes && { bbox: boxes.map(({ west, east }) => [west, -1, east, 1] as const) }),
  };
}

// What is past mending by the client may be mended by its reader: here by asking again.
async function readOn(
  follower: Follower,
  readMs: number,
  time: VirtualTime,
  signal: AbortSignal,
  changes: ReadChange[],
  thrown: unknown[],
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const change of follower) {
        changes.push({ change, atMs: time.clock() });
        if (readMs > 0) await time.sleep(readMs, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      thrown.push(error);
      if (!isStreamError(error)) return;
      await time.sleep(1000, signal).catch(() => {});
    }
  }
}

async function publishHistory(stream: FaultStream, { history, filter }: FaultSchedule): Promise<void> {
  for (let done = 0; done < history; done += 10) {
    const numbers = Array.from({ length: Math.min(10, history - done) }, (_, index) => index);
    const placed = (number: number) => filter && { longitude: number % 6 };
    await stream.log.append(numbers.map((number) => stream.draft(number, 'upsert', placed(number))));
  }
}

/** Plans the commits; returns when the last one comes. */
function planCommits({ commits, prediction, filter }: FaultSchedule, stream: FaultStream, time: VirtualTime): number {
  let atMs = time.clock();
  for (const [index, commit] of commits.entries()) {
    atMs += commit.afterMs;
    time.at(atMs, async () => {
      // A commit tells what its server holds for right by then: of the next one, or what was right for this one only.
      const told = prediction === 'right' ? commits[index + 1] : commit;
      if (prediction !== 'none') stream.schedule = scheduleOf(told, time.clock());
      await stream.log.append(draftsOf(commit, stream, filter !== undefined));
    });
  }
  return atMs;
}

function scheduleOf(next: PlannedCommit | undefined, nowMs: number): FaultStream['schedule'] {
  if (!next) return { kind: 'unknown' };
  return { kind: 'interval', intervalMs: next.afterMs, nextMs: nowMs + next.afterMs };
}

function draftsOf({ entities }: PlannedCommit, stream: FaultStream, isPlaced: boolean) {
  return entities.map(({ number, isEnd, longitude, isTurned = false }) => {
    const draft = stream.draft(number, 'upsert', isPlaced ? { longitude, isTurned } : undefined);
    return isEnd && stream.log.latest.get(draft.entity) ? stream.draft(number, 'delete') : draft;
  });
}

/** Up to where the state reaches that a reader was given first at some time, as far as it was asked for. */
function stateEnd(exchanges: readonly FaultyExchange[], firstMs = Number.POSITIVE_INFINITY): number {
  const states = exchanges.filter(({ path, atMs }) => path.includes('/latest') && atMs <= firstMs);
  return Math.max(0, ...states.flatMap(({ cursor }) => (cursor === undefined ? [] : parseCursor(cursor).sequence)));
}

// For a reader who asked for the newest, no version is late that a newer one replaces, or that overtook others, nor any of
// the state that it is given.
function wanted(
  members: readonly Member[],
  { versions }: FaultSchedule,
  stateTo: number,
  changes: readonly ReadChange[],
): readonly Member[] {
  if (versions === 'all') return members;
  const given = new Set(changes.map(({ change }) => change.member?.sequence));
  const newest = new Map(members.map(({ entity, sequence }) => [entity, sequence]));
  return members.filter(
    ({ entity, sequence }) => newest.get(entity) === sequence && sequence > stateTo && !given.has(sequence),
  );
}

/** A look at the client on the way, and how late the oldest change was that was published and not delivered by then. */
function sample(follower: Follower, members: readonly Member[], time: VirtualTime) {
  const read = positionOf(follower);
  const atMs = time.clock();
  const oldest = read === undefined ? undefined : members.find(({ sequence }) => sequence > read);
  const lateMs = oldest ? atMs - Date.parse(oldest.time) : 0;
  return { ...follower.status, atMs, lateMs };
}

function positionOf({ state }: Follower): number | undefined {
  return state.cursor === undefined ? undefined : parseCursor(state.cursor).sequence;
}
