/*
 * The process of `e4`: users who each follow a subject of their own, and providers who answer what users ask.
 *
 *   user: POST /requests, 32 bytes -> provider, by push: POST /replies, 256 bytes -> stream of the user's subject, by push
 *   { "port": 40123, "users": 15000, "providers": 16, ... }    order { asks: true, schedule }
 *   { "arrived": 1250, "lost": 0, "doubled": 0, "strays": 0, "failedPosts": 0, "delay": "HISTFAAAA...", ... }
 *
 * A message carries the instant that its request was due: a delay counts from there until the user has read the reply.
 */
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerReader } from '../load/answers.ts';
import { type Effort, EffortWatch } from '../load/effort.ts';
import { EventBlocks } from '../load/event-stream.ts';
import { PushCounts, type SingleDeliveries, singleDeliveries } from '../load/push-counts.ts';
import { openAll, PushReader } from '../load/push-reader.ts';
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

/** How it was for the users. */
export interface UsersRound extends SingleDeliveries {
  /** Posts that were answered by anything but 201, or not at all. */
  readonly failedPosts: number;
  readonly delay: string;
  /** Bytes that users and providers read. */
  readonly readBytes: number;
  /** When nothing more was waited for. */
  readonly endedMicros: number;
  readonly effort: Effort;
}

const HOST = '127.0.0.1';
const REQUEST_BYTES = 32;
const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
const USER_DIGITS = 6;
const USER_MARK = Buffer.from(userIri(0).slice(0, -USER_DIGITS));

/** The type that requests for a provider have, which it follows. */
function providerType(provider: number): string {
  return `http://example.org/RequestFor${provider}`;
}

/** Which provider answers a user: always the same one, and each about as many. */
function providerOf(user: number, providers: number): number {
  // Multiplied by 2^32 over the golden ratio, neighbours fall far from each other.
  return Math.floor((Math.imul(user + 1, 0x9e3779b1) >>> 0) / (2 ** 32 / providers));
}

interface Line {
  readonly socket: Socket;
  isBusy: boolean;
}

/**
 * Kept-alive connections that posts to a stream are shared among, one at a time on each; those that find all busy wait in order.
 * They are opened when they are needed, since servers close those on which nothing comes.
 */
class PostConnections {
  readonly #stream: string;
  readonly #plan: UsersPlan;
  readonly #lines = new Set<Line>();
  readonly #idle: Line[] = [];
  // Taken from the front by number: an array that is shifted would be copied with each post.
  #waiting: string[] = [];
  #next = 0;
  /** Since the start. */
  failed = 0;

  constructor(stream: string, plan: UsersPlan) {
    this.#stream = stream;
    this.#plan = plan;
  }

  /** Posts a body of N-Quads, now or as soon as a connection is free. */
  post(body: string): void {
    const line = this.#idle.pop();
    if (line) this.#send(line, body);
    else {
      this.#waiting.push(body);
      if (this.#lines.size < this.#plan.postConnections) this.#connect();
    }
  }

  /** Forgets those that wait for a connection. */
  giveUp(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  #connect(): void {
    const { port, localAddress } = this.#plan;
    const socket = connect({ port, host: HOST, localAddress, noDelay: true });
    const line = { socket, isBusy: false };
    this.#lines.add(line);
    const answers = new AnswerReader();
    socket.on('connect', () => this.#free(line));
    socket.on('data', (bytes) => {
      const answer = answers.feed(bytes);
      if (answer === undefined) return;
      if (answer.status !== 201) this.failed += 1;
      this.#free(line);
    });
    // What follows it is its close.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (line.isBusy) this.failed += 1;
      this.#lines.delete(line);
      const at = this.#idle.indexOf(line);
      if (at >= 0) this.#idle.splice(at, 1);
    });
  }

  #free(line: Line): void {
    line.isBusy = false;
    const body = this.#waiting[this.#next];
    if (body === undefined) {
      this.#idle.push(line);
      return;
    }
    this.#next += 1;
    if (this.#next === this.#waiting.length) this.giveUp();
    this.#send(line, body);
  }

  #send(line: Line, body: string): void {
    line.isBusy = true;
    line.socket.write(
      `POST /${this.#stream} HTTP/1.1\r\nhost: ${HOST}:${this.#plan.port}\r\nauthorization: Bearer ${TOKEN}\r\n` +
        `content-type: application/n-quads\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  }
}

/** Follows the requests for one provider by push; resolves when the server has answered. */
function followRequests(
  port: number,
  provider: number,
  onRequest: (user: number, stampMicros: number, bytes: number) => void,
): Promise<void> {
  const blocks = new EventBlocks();
  const take = (bytes: Buffer, start: number, end: number) => {
    const [stampAt, userAt] = [findStamp(bytes, start, end), bytes.indexOf(USER_MARK, start) + USER_MARK.length];
    // Without a stamp it only keeps the connection alive.
    if (stampAt < 0) return;
    const user = Number(bytes.toString('latin1', userAt, userAt + USER_DIGITS));
    onRequest(user, readStamp(bytes, stampAt), end - start);
  };
  return new Promise((resolve, reject) => {
    const path = `/${REQUESTS}/events?type=${encodeURIComponent(providerType(provider))}`;
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
    const request = get({ port, host: HOST, path, headers, agent: false }, (response) => {
      response.on('data', (bytes: Buffer) => blocks.feed(bytes, take));
      // What does not come any more is missed by who asked.
      response.on('error', () => undefined);
      if (response.statusCode === 200) resolve();
      else reject(new Error(`The stream of requests answered ${response.statusCode}`));
    });
    request.on('error', reject);
  });
}

/** Connections that may be under way at a time. */
const OPENING = 200;
const LOOK_MS = 20;
/** How long nothing may come before it is taken for lost. */
const QUIET_MS = 5000;

/** Connects all users and providers, and resolves to what follows orders. */
async function openUsers(plan: UsersPlan): Promise<(order: UsersOrder) => Promise<UsersRound>> {
  const { users, providers, port, localAddress } = plan;
  const [counts, watch, random] = [new PushCounts(), new EffortWatch(), seededRandom(plan.seed)];
  const [requests, replies] = [new PostConnections(REQUESTS, plan), new PostConnections(REPLIES, plan)];
  let providedBytes = 0;
  const reply = (user: number, stampMicros: number, bytes: number) => {
    providedBytes += bytes;
    replies.post(`<${userIri(user)}> <${PAYLOAD}> "${payload(stampMicros, REPLY_BYTES)}" .\n`);
  };
  for (let provider = 0; provider < providers; provider += 1) await followRequests(port, provider, reply);
  const readers = {
    readers: users,
    firstReader: 0,
    port,
    // The number is the end of the IRI; each reader puts its own.
    path: `${plan.path}?entity=${encodeURIComponent(USER_MARK.toString())}{reader}`,
    encoding: 'identity',
    decoded: 0,
    localAddress,
    opening: OPENING,
    comesBack: false,
    isStamped: true,
  } as const;
  await openAll(
    Array.from({ length: users }, (_, user) => new PushReader(user, readers, counts)),
    OPENING,
  );
  const { open, refused } = counts.stats;
  if (open < users) throw new Error(`${open} of ${users} connections are open, ${refused} were refused`);

  const ask = (stampMicros: number): undefined => {
    const user = Math.floor(random() * users);
    const [subject, type] = [`<${userIri(user)}>`, `<${providerType(providerOf(user, providers))}>`];
    requests.post(`${subject} ${TYPE} ${type} .\n${subject} <${PAYLOAD}> "${payload(stampMicros, REQUEST_BYTES)}" .\n`);
  };
  const untilAllCame = async ({ startMicros, intervalMicros, count }: PublishSchedule) => {
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
    // What is still to be posted would come in the next round.
    requests.giveUp();
    replies.giveUp();
  };
  const readSoFar = () => counts.stats.bytes + providedBytes;
  const failedSoFar = () => requests.failed + replies.failed;

  return async ({ asks, schedule }) => {
    counts.take();
    watch.take();
    const [readBefore, failedBefore] = [readSoFar(), failedSoFar()];
    if (asks) await publishOnSchedule(schedule, ask);
    await untilAllCame(schedule);
    const endedMicros = monotonicMicros();
    const { updates, delay } = counts.take();
    return {
      ...singleDeliveries(updates, schedule),
      failedPosts: failedSoFar() - failedBefore,
      delay,
      readBytes: readSoFar() - readBefore,
      endedMicros,
      effort: watch.take(),
    };
  };
}

const round = await openUsers(planOf<UsersPlan>());
answerOrders<UsersOrder>({}, round);
