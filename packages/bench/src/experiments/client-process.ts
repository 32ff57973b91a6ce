/*
 * The processes of `client`: a publisher whose streams are updated by their rhythms, and clients that follow such streams.
 *
 *   { "role": "publisher", "port": 4711, "streams": [{ "name": "late", ... }], ... }   order {} -> { late: [{ timeMs, last }] }
 *   { "role": "clients", "clients": [{ "url", "malSeconds": 0.7, ... }], ... }          order {} -> ClientsReport, when all is over
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLiveClient } from '@ldes-live/client';
import type { Schedule } from '@ldes-live/latency';
import { createMemoryStore, type LogStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { EffortWatch } from '../load/effort.ts';
import { answerOrders, planOf } from '../processes.ts';
import { stampedState } from '../subjects/workloads.ts';
import { seededRandom } from '../timing.ts';
import type { ClientPlan } from './client.ts';
import { type ClientReport, ClientWatch, nextSlot, type PublishedCommit, type UpdatePattern } from './client-watch.ts';

/** One client, and what it follows. */
export interface ClientSpec {
  readonly breakEvenSeconds: number;
  readonly stream: string;
  readonly url: string;
  readonly malSeconds: number;
}

interface PublisherRole {
  readonly role: 'publisher';
  /** Base of its IRIs: its own, or that of a cache in front of it. */
  readonly publicUrl: string;
  readonly port: number;
  readonly breakEvenSeconds: number;
}

interface ClientsRole {
  readonly role: 'clients';
  readonly clients: readonly ClientSpec[];
}

/** What the process is to do. */
export type ClientRole = (PublisherRole | ClientsRole) & { readonly plan: ClientPlan; readonly seed: number };

/** What was published, by the names of the streams. */
export type PublisherReport = Readonly<Record<string, readonly PublishedCommit[]>>;

/** How all clients fared from one instant to another, epoch milliseconds. */
export type ClientsReport = Awaited<ReturnType<typeof follow>>;

const role = planOf<ClientRole>();
const { plan } = role;
const random = seededRandom(role.seed);

async function publish({ publicUrl, port, breakEvenSeconds }: PublisherRole): Promise<void> {
  const store = createMemoryStore({ clock: Date.now, random: Math.random });
  const opened: Awaited<ReturnType<typeof openStream>>[] = [];
  for (const rhythm of plan.streams) opened.push(await openStream(store, rhythm, publicUrl));
  const streams = opened.map(({ published }) => published);
  const server = await createLiveServer({ publicUrl, streams, breakEvenSeconds });
  await server.listen({ host: '127.0.0.1', port });
  for (const { run } of opened) void run();
  answerOrders({}, (): PublisherReport => Object.fromEntries(opened.map(({ name, commits }) => [name, commits])));
}

/** A stream that is updated by a rhythm. */
async function openStream(store: LogStore, rhythm: UpdatePattern, publicUrl: string) {
  const { name, intervalMs } = rhythm;
  const description = describeStream({ publicUrl, name });
  const log = await store.open(description);
  const commits: PublishedCommit[] = [];
  let slot = nextSlot(rhythm, { atMs: Date.now(), isPublished: false }, random);
  const advance = () => {
    slot = nextSlot(rhythm, slot, random);
  };
  // Before the server hears of a commit: what it states of the next update is then that of the next.
  log.subscribe(({ time, cursor }) => {
    commits.push({ timeMs: Date.parse(time), last: cursor.sequence });
    advance();
  });
  const schedule = (): Schedule =>
    slot.statedMs === undefined ? { kind: 'unknown' } : { kind: 'interval', intervalMs, nextMs: slot.statedMs };
  const run = async () => {
    for (;;) {
      // After the instant, never before it: a timer may be early by a part of a millisecond.
      while (Date.now() <= slot.atMs) await sleep(Math.max(1, slot.atMs - Date.now()));
      const first = log.head.cursor.sequence;
      const numbers = Array.from({ length: plan.membersPerUpdate }, (_, index) => first + index);
      if (!slot.isPublished) advance();
      else await log.append(numbers.map((number) => stampedState(number % plan.entities, number)));
    }
  };
  return { name, published: { description, log, schedule }, commits, run };
}

const [READY_TRY_MS, READY_LIMIT_MS] = [100, 60_000];
/** Over which share of the warm-up clients begin. */
const OPENING_SHARE = 0.2;

/** Has all clients follow for a while; fails as soon as one ends. */
async function follow({ clients: specs }: ClientsRole) {
  const effort = new EffortWatch();
  const clients = specs.map(startClient);
  const run = async () => {
    for (let waitedMs = 0; clients.some(({ isReady }) => !isReady()); waitedMs += READY_TRY_MS) {
      if (waitedMs > READY_LIMIT_MS) throw new Error('Not all clients have read something');
      await sleep(READY_TRY_MS);
    }
    await sleep(plan.warmUpMs);
    effort.take();
    const beganMs = Date.now();
    for (const client of clients) client.begin(beganMs);
    await sleep(plan.durationMs);
    return { clients: clients.map(({ report }) => report()), beganMs, endedMs: Date.now(), effort: effort.take() };
  };
  return Promise.race([run(), ...clients.map(({ ended }) => ended)]);
}

/** A client that follows a stream after a while, watched. */
function startClient(spec: ClientSpec) {
  const watch = new ClientWatch(spec.malSeconds * 1000);
  const client = createLiveClient({ mal: spec.malSeconds, fetch: watch.fetch, random });
  const follower = client.follow(spec.url, { from: 'now' });
  let statedBefore = 0;
  const read = async (): Promise<never> => {
    await sleep(random() * plan.warmUpMs * OPENING_SHARE);
    for await (const change of follower) {
      if (change.kind === 'gap') watch.gap();
      else watch.note(change.member.sequence, Date.parse(change.member.time), Date.now());
    }
    throw new Error(`The client of ${spec.url} ended by itself`);
  };
  return {
    ended: read(),
    /** Whether it has read something, so that it can say how late it may be. */
    isReady: () => Number.isFinite(follower.status.lagBoundMs),
    begin: (nowMs: number) => {
      statedBefore = follower.status.malMisses;
      watch.begin(nowMs);
    },
    report: (): ClientSpec & ClientReport => {
      const { mode, malMisses, lagBoundMs } = follower.status;
      const status = {
        mode,
        stated: malMisses - statedBefore,
        lagBoundMs: Math.min(lagBoundMs, Number.MAX_SAFE_INTEGER),
      };
      return { ...spec, ...watch.report(), ...status };
    },
  };
}

if (role.role === 'publisher') await publish(role);
else answerOrders({}, () => follow(role));
