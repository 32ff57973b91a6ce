/*
 * The processes of `client`: a publisher whose streams are updated by their rhythms, and clients that follow them.
 *
 *   { "role": "publisher", "port": 4711, "streams": [{ "name": "late", ... }], ... }  order { do: "publish" }, { do: "begin" },
 *                                                                   { do: "report" } -> { commits: { late: [...] } }
 *   { "role": "clients", "clients": [{ "url", "malSeconds": 0.7 }], ... }  order { do: "ready" } -> { ready: 36 }, begin, report
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLiveClient } from '@ldes-live/client';
import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type LogStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { type Effort, EffortWatch } from '../load/effort.ts';
import { answerOrders, planOf } from '../processes.ts';
import { stampedState } from '../subjects/workloads.ts';
import { seededRandom } from '../timing.ts';
import {
  type ClientReport,
  DeliveryWatch,
  nextSlot,
  type PublishedCommit,
  RequestWatch,
  type Slot,
  type StreamRhythm,
} from './client-watch.ts';

/** What the process is to do. */
export type ClientRole = PublisherRole | ClientsRole;

interface PublisherRole {
  readonly role: 'publisher';
  /** Base of its IRIs: its own, or that of a cache in front of it. */
  readonly publicUrl: string;
  readonly port: number;
  readonly streams: readonly StreamRhythm[];
  /** Of each stream; each update has a new state of so many of them, in turns. */
  readonly entities: number;
  readonly membersPerUpdate: number;
  readonly breakEvenSeconds: number;
  readonly seed: number;
}

/** One client, and what it follows. */
export interface ClientSpec {
  readonly stream: string;
  readonly url: string;
  readonly malSeconds: number;
}

interface ClientsRole {
  readonly role: 'clients';
  readonly clients: readonly ClientSpec[];
  /** Over how long they begin. */
  readonly openingMs: number;
  readonly seed: number;
}

/** What was published since it was told to begin, by the names of the streams. */
export interface PublisherReport {
  readonly commits: Readonly<Record<string, readonly PublishedCommit[]>>;
}

/** How many clients have read something, and what is wrong with those that ended. */
export interface Readiness {
  readonly ready: number;
  readonly problems: readonly string[];
}

/** How all clients fared from one instant to another, epoch milliseconds. */
export interface ClientsReport {
  readonly clients: readonly ClientReport[];
  readonly beganMs: number;
  readonly endedMs: number;
  readonly effort: Effort;
}

export interface ClientOrder {
  readonly do: 'publish' | 'ready' | 'begin' | 'report';
}

const HOST = '127.0.0.1';

async function publish(role: PublisherRole): Promise<void> {
  const { publicUrl, port, breakEvenSeconds } = role;
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const streams: Awaited<ReturnType<typeof openStream>>[] = [];
  for (const rhythm of role.streams) streams.push(await openStream(store, rhythm, role));
  const server = await createLiveServer({
    publicUrl,
    streams: streams.map(({ published }) => published),
    breakEvenSeconds,
  });
  await server.listen({ host: HOST, port });
  const random = seededRandom(role.seed);
  answerOrders<ClientOrder>({}, (order): PublisherReport => {
    const startMs = Date.now();
    if (order.do === 'publish') for (const { run } of streams) void run(startMs, random);
    if (order.do === 'begin') for (const { commits } of streams) commits.length = 0;
    return { commits: Object.fromEntries(streams.map(({ name, commits }) => [name, commits])) };
  });
}

/** A stream that is updated by a rhythm. */
async function openStream(store: LogStore, rhythm: StreamRhythm, role: PublisherRole) {
  const { publicUrl, entities, membersPerUpdate } = role;
  const { name, intervalMs } = rhythm;
  const description = describeStream({ publicUrl, name });
  const log = await store.open(description);
  const commits: PublishedCommit[] = [];
  let slot: Slot | undefined;
  let onCommit = () => {};
  // Before the server hears of a commit: what it states of the next update is then that of the next.
  log.subscribe(({ members }) => {
    const newest = members.at(-1);
    if (newest) commits.push({ timeMs: Date.parse(newest.time), last: newest.sequence });
    onCommit();
  });
  const schedule = (): Schedule =>
    slot?.statedMs === undefined ? { kind: 'unknown' } : { kind: 'interval', intervalMs, nextMs: slot.statedMs };
  const run = async (startMs: number, random: () => number) => {
    let current: Slot = { atMs: startMs, isPublished: false };
    const advance = () => {
      current = nextSlot(rhythm, current, random);
      slot = current;
    };
    onCommit = advance;
    advance();
    for (;;) {
      // After the instant, never before it: a timer may be early by a part of a millisecond.
      while (Date.now() <= current.atMs) await sleep(Math.max(1, current.atMs - Date.now()));
      const first = log.head.cursor.sequence;
      const numbers = Array.from({ length: membersPerUpdate }, (_, index) => first + index);
      if (!current.isPublished) advance();
      else await log.append(numbers.map((number) => stampedState(number % entities, number)));
    }
  };
  return { name, published: { description, log, schedule }, commits, run };
}

function follow({ clients: specs, openingMs, seed }: ClientsRole): void {
  const [random, watch] = [seededRandom(seed), new EffortWatch()];
  const clients = specs.map((spec) => watchClient(spec, random, random() * openingMs));
  let beganMs = Date.now();
  answerOrders<ClientOrder>({}, (order): Readiness | ClientsReport => {
    if (order.do === 'begin') {
      watch.take();
      beganMs = Date.now();
      for (const client of clients) client.begin();
    }
    if (order.do !== 'report') {
      const problems = clients.flatMap(({ problem }) => problem() ?? []);
      return { ready: clients.filter(({ isReady }) => isReady()).length, problems };
    }
    return { clients: clients.map(({ report }) => report()), beganMs, endedMs: Date.now(), effort: watch.take() };
  });
}

/** A client that follows a stream after a while, watched. */
function watchClient(spec: ClientSpec, random: () => number, afterMs: number) {
  const { stream, malSeconds } = spec;
  const [requests, deliveries] = [new RequestWatch(), new DeliveryWatch(malSeconds * 1000)];
  const follower = createLiveClient({ mal: malSeconds, fetch: requests.fetch, random }).follow(spec.url, {
    from: 'now',
  });
  let problem: string | undefined;
  let statedBefore = 0;
  const read = async () => {
    await sleep(afterMs);
    for await (const change of follower) {
      if (change.kind === 'gap') {
        deliveries.gap();
        continue;
      }
      const { sequence, time } = change.member;
      deliveries.note({ sequence, publishedMs: Date.parse(time), nowMs: Date.now() });
    }
    problem = 'it ended by itself';
  };
  read().catch((error: unknown) => {
    problem = String(error);
  });
  return {
    /** Whether it has read something, so that it can say how late it may be. */
    isReady: () => Number.isFinite(follower.status.lagBoundMs),
    problem: () => problem,
    begin: () => {
      statedBefore = follower.status.malMisses;
      requests.begin();
      deliveries.begin(Date.now());
    },
    report: (): ClientReport => {
      const { mode, malMisses, lagBoundMs } = follower.status;
      return {
        stream,
        malSeconds,
        ...deliveries.tally,
        ...requests.tally,
        mode,
        stated: malMisses - statedBefore,
        lagBoundMs: Math.min(lagBoundMs, Number.MAX_SAFE_INTEGER),
        ...(problem !== undefined && { problem }),
      };
    },
  };
}

const role = planOf<ClientRole>();
if (role.role === 'publisher') await publish(role);
else follow(role);
