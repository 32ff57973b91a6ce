/*
 * The process of `e4`: users who each follow a subject of their own, and providers who answer what users ask.
 *
 *   user: POST /requests, 32 bytes -> provider, by push: POST /replies, 256 bytes -> stream of the user's subject, by push
 *   { "port": 40123, "users": 15000, "providers": 16, ... }    order { asks: true, schedule }
 *   { "arrived": 1250, "lost": 0, "doubled": 0, "strays": 0, "failedPosts": 0, "delay": "HISTFAAAA...", ... }
 *
 * A message carries the instant that its request was due: a delay counts from there until the user has read the reply.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { EffortWatch } from '../load/effort.ts';
import { openEventStream } from '../load/event-stream.ts';
import { PushCounts, singleDeliveries } from '../load/push-counts.ts';
import { openPushReaders } from '../load/push-reader.ts';
import { answerOrders, planOf } from '../processes.ts';
import { PAYLOAD, payload, REPLIES, REPLY_BYTES, REQUESTS, TOKEN, userIri } from '../subjects/workloads.ts';
import {
  findStamp,
  monotonicMicros,
  type PublishSchedule,
  publishOnSchedule,
  readStamp,
  seededRandom,
} from '../timing.ts';

/** What the process is started with. */
export interface UsersPlan {
  readonly port: number;
  /** Path of the stream of replies. */
  readonly path: string;
  /** Each follows its own subject on a connection of its own. */
  readonly users: number;
  readonly providers: number;
  /** Connections that requests are posted by, and as many that replies are. */
  readonly postConnections: number;
  /** What random users come from. */
  readonly seed: number;
  readonly localAddress: string;
}

/** What is due when: requests of users, or else updates that the server publishes itself. */
export interface UsersOrder {
  readonly asks: boolean;
  readonly schedule: PublishSchedule;
}

/** How it was for the users: what came, the delays, and what the users took. */
export type UsersRound = Awaited<ReturnType<typeof measureRound>>;

const HOST = '127.0.0.1';
const REQUEST_BYTES = 32;
const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
const USER_DIGITS = 6;
const USER_MARK = Buffer.from(userIri(0).slice(0, -USER_DIGITS));
const plan = planOf<UsersPlan>();
const { port, users, providers, localAddress } = plan;
const [counts, watch, random] = [new PushCounts(), new EffortWatch(), seededRandom(plan.seed)];

/** The type that requests for a provider have, which it follows. */
function providerType(provider: number): string {
  return `http://example.org/RequestFor${provider}`;
}

/** Which provider answers a user: always the same one, and each about as many. */
function providerOf(user: number): number {
  // Multiplied by 2^32 over the golden ratio, neighbours fall far from each other.
  return Math.floor((Math.imul(user + 1, 0x9e3779b1) >>> 0) / (2 ** 32 / providers));
}

const agents = [REQUESTS, REPLIES].map(() => new Agent({ keepAlive: true, maxSockets: plan.postConnections }));
const [requests, replies] = agents as [Agent, Agent];
/** Posts that were answered by anything but 201, or not at all; and what providers read. */
let [failedPosts, providedBytes] = [0, 0];

/** Posts N-Quads on one of the kept-alive connections; those that find all busy wait in order. */
function post(agent: Agent, stream: string, body: string): void {
  const authorization = `Bearer ${TOKEN}`;
  const headers = { authorization, 'content-type': 'application/n-quads', 'content-length': body.length };
  const target = { host: HOST, port, path: `/${stream}`, method: 'POST', localAddress };
  const posted = request({ ...target, headers, agent }, (answer) => {
    if (answer.statusCode !== 201) failedPosts += 1;
    answer.resume();
  });
  posted.on('error', () => {
    failedPosts += 1;
  });
  posted.end(body);
}

function ask(user: number, stampMicros: number): undefined {
  const [subject, type] = [`<${userIri(user)}>`, `<${providerType(providerOf(user))}>`];
  const message = `${subject} <${PAYLOAD}> "${payload(stampMicros, REQUEST_BYTES)}" .\n`;
  post(requests, REQUESTS, `${subject} ${TYPE} ${type} .\n${message}`);
}

/** What a provider does with each event of requests for it. */
function reply(bytes: Buffer, start: number, end: number): void {
  const [stampAt, userAt] = [findStamp(bytes, start, end), bytes.indexOf(USER_MARK, start) + USER_MARK.length];
  // Without a stamp it only keeps the connection alive.
  if (stampAt < 0) return;
  providedBytes += end - start;
  const user = Number(bytes.toString('latin1', userAt, userAt + USER_DIGITS));
  const text = payload(readStamp(bytes, stampAt), REPLY_BYTES);
  post(replies, REPLIES, `<${userIri(user)}> <${PAYLOAD}> "${text}" .\n`);
}

/** Connects all users and providers. */
async function openUsers(): Promise<void> {
  for (let provider = 0; provider < providers; provider += 1) {
    const type = encodeURIComponent(providerType(provider));
    await openEventStream(`http://${HOST}:${port}/${REQUESTS}/events?type=${type}`, reply, { localAddress });
  }
  // The number is the end of the IRI; each reader puts its own.
  const path = `${plan.path}?entity=${encodeURIComponent(USER_MARK.toString())}{reader}`;
  const readers = { readers: users, firstReader: 0, ports: [port], path, localAddress };
  await openPushReaders({ ...readers, encoding: 'identity', decoded: 0 }, counts);
  const { open, refused } = counts.stats;
  if (open < users) throw new Error(`${open} of ${users} connections are open, ${refused} were refused`);
}

const LOOK_MS = 20;
/** How long nothing may come before it is taken for lost. */
const QUIET_MS = 5000;

async function untilAllCame({ startMicros, intervalMicros, count }: PublishSchedule) {
  const endMicros = startMicros + count * intervalMicros;
  let seen = -1;
  for (let quietMs = 0; quietMs < QUIET_MS; quietMs += LOOK_MS) {
    // What came twice does not stand for what has not come.
    if (counts.updates >= count) return;
    const { events } = counts.stats;
    if (events > seen || monotonicMicros() < endMicros) quietMs = 0;
    seen = events;
    await sleep(LOOK_MS);
  }
  // What still waits for a connection would come in the next round.
  for (const waiting of agents.flatMap((agent) => Object.values(agent.requests).flat())) waiting?.destroy();
}

async function measureRound({ asks, schedule }: UsersOrder) {
  counts.take();
  watch.take();
  [failedPosts, providedBytes] = [0, 0];
  const bytesBefore = counts.stats.bytes;
  if (asks) await publishOnSchedule(schedule, (stampMicros) => ask(Math.floor(random() * users), stampMicros));
  await untilAllCame(schedule);
  // When nothing more was waited for.
  const endedMicros = monotonicMicros();
  const { updates, delay } = counts.take();
  // Of users and providers.
  const readBytes = counts.stats.bytes - bytesBefore + providedBytes;
  return { ...singleDeliveries(updates, schedule), failedPosts, delay, readBytes, endedMicros, effort: watch.take() };
}

await openUsers();
answerOrders({}, measureRound);
