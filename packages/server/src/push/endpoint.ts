/* Push over HTTP: a request to the events of a stream becomes a subscriber, or is answered at once.
 *   request -> request.ts: what it asks for -> admission.ts: a slot, at once or in its turn
 *           -> where it names commits that are not here yet: a wait for them -> stream-push.ts: open
 *   { "position": { "after": 41, "isState": false }, "encoding": "gzip" } -> { "retryMs": 1534, "endsAtMs": 3210876 }
 * While the server stops, those who come are sent a stream that ends at once, with the wait until another server is there. */
import { setTimeout as wait } from 'node:timers/promises';
import { isStreamError } from '@ldes-live/rdf-stream';
import { streamUrls } from '../documents/document.ts';
import { errors } from '../errors.ts';
import { isCutOff, type LinkedStream, linkHeader } from '../http/caching.ts';
import { pathOf } from '../http/problem.ts';
import { LoggedCount, type Logger, type RepeatedLines } from '../logging.ts';
import type { PushSettings } from '../options.ts';
import { Admission, peerAddress, REFUSALS, type Slot } from './admission.ts';
import type { PushCounters } from './counters.ts';
import type { EncodedCommits } from './encoded-commits.ts';
import { TICKS_PER_HEARTBEAT } from './fanout.ts';
import { ReplayMemory } from './replay-memory.ts';
import { isAhead, type PushRequest, readPushRequest } from './request.ts';
import type { SnapshotSource } from './snapshots.ts';
import { StreamPush, type WatchedSources } from './stream-push.ts';
import { answerWithoutStream, type PushExchange, type PushHead, takeOver } from './subscriber.ts';

/** A stream to push. */
export interface PushedStream extends LinkedStream {
  readonly commits: EncodedCommits;
  readonly snapshots: SnapshotSource;
  /** Absent where the stream has no sources. */
  readonly sources?: WatchedSources | undefined;
  /** Whether nobody may know of it who does not read it. */
  readonly isPrivate: boolean;
}

interface PushEndpointOptions {
  readonly settings: PushSettings;
  /** Milliseconds from any beginning, never going back. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly lines: RepeatedLines;
}

interface Channel extends PushedStream {
  readonly push: StreamPush;
  readonly link: string;
  isEnding: boolean;
}

/** How often streams are ended while a server stops, milliseconds. */
const ENDING_STEP_MS = 20;

/** The part of the grace period over which streams are ended: the last one is to be gone by the end of it. */
const SPREAD_SHARE = 0.95;

/** What a reader may take for itself before the next is ended, milliseconds: a few readers do not keep a server from stopping. */
const MS_PER_CONNECTION = 10;

/** How long a reader who knows of later commits than this side waits for them, milliseconds. */
export const CATCH_UP_MS = 5000;

/** How long streams that were ended may take to close, milliseconds. */
const LAST_WORDS_MS = 500;

/** The longest wait for the sake of the crowd, milliseconds: past it a reader would take the stream for lost. */
const MAX_CROWD_MS = 60_000;

/** The push endpoints of the streams of one server. */
export class PushEndpoint {
  readonly admission: Admission;
  readonly #options: PushEndpointOptions;
  /** Those that readers may come to, by name. */
  readonly #channels = new Map<string, Channel>();
  /** Those that are ending too. */
  readonly #pushes = new Set<StreamPush>();
  readonly #refusals = REFUSALS.map(([code, reason, limit]) => ({ code, reason, limit, count: new LoggedCount() }));
  readonly #replays: ReplayMemory;
  readonly #timer: NodeJS.Timeout;
  #endsAtMs: number | undefined;
  /** How many were open when they began to be ended. */
  #endedConnections = 0;
  #drained: Promise<void> | undefined;
  /** Ends the waits of those who know of later commits than this side. */
  readonly #ahead = new Set<() => void>();

  constructor(options: PushEndpointOptions) {
    const { settings, clock, random } = options;
    this.#options = options;
    this.admission = new Admission(settings, { clock, random });
    this.#replays = new ReplayMemory(settings.limitReplayBytes, clock);
    this.#timer = setInterval(() => {
      for (const push of this.#pushes) push.tick();
      this.#logRefusals();
    }, settings.heartbeatMs / TICKS_PER_HEARTBEAT);
  }

  /** Lets readers come to a stream, in place of one of the same name. */
  open(stream: PushedStream): void {
    const { commits, snapshots, sources } = stream;
    const { name } = stream.description;
    const urls = streamUrls(stream.description);
    const replays = this.#replays;
    const push = new StreamPush({ ...this.#options, commits, snapshots, sources, urls, replays, stream: name });
    this.#pushes.add(push);
    this.#channels.set(name, { ...stream, push, link: linkHeader(stream), isEnding: false });
  }

  /** Lets nobody come to a stream any more, and ends its readers spread over the grace period; resolves when all have. */
  async end(name: string): Promise<void> {
    const channel = this.#channels.get(name);
    if (!channel) return;
    this.#channels.delete(name);
    channel.isEnding = true;
    await this.#endAll([channel.push]);
    this.#pushes.delete(channel.push);
  }

  /** How many connections of a stream are open; 0 for an unknown one. */
  connections(name: string): number {
    return this.#channels.get(name)?.push.size ?? 0;
  }

  /** What the push of each stream has done so far, by name. */
  get counters(): ReadonlyMap<string, PushCounters> {
    return new Map([...this.#channels].map(([name, { push }]) => [name, push.counters]));
  }

  /**
   * Answers a request with the events of a stream.
   *
   * @param name - of one of the streams
   * @returns once the stream has begun, the client has gone, or an error was thrown: then nothing has been answered
   * @throws {@link StreamError} those of `readPushRequest` and `Admission.admit`
   * @see specs/push.md PUSH-1
   */
  async serve(name: string, exchange: PushExchange): Promise<void> {
    const { request, response } = exchange;
    if (!('stream' in response) && !response.socket && !(await hasItsTurn(exchange))) return;
    const channel = this.#channels.get(name);
    if (!channel) {
      // It has gone while the request waited.
      const open = [...this.#channels.values()].filter(({ isPrivate }) => !isPrivate);
      const known = open.map(({ description }) => description.url);
      throw errors.ERR_STREAM_UNKNOWN({ path: pathOf(request.url ?? ''), known });
    }
    const { description, commits } = channel;
    const { settings } = this.#options;
    const read = () => readPushRequest(request, commits, settings);
    let asked = read();
    if (request.method === 'HEAD') return answerWithoutStream(exchange, headOf(channel, asked));
    if (this.#endsAtMs !== undefined) return this.#reject(channel, asked, exchange);
    const { latest } = streamUrls(description);
    const gone = new AbortController();
    let slot: Slot | Promise<Slot>;
    try {
      if (this.#replays.isFull && this.#isReplay(channel, asked)) {
        throw this.admission.replaysFull(settings.limitReplayBytes, latest);
      }
      slot = this.admission.admit(peerAddress(request), latest, gone.signal);
      if (slot instanceof Promise) {
        response.once('close', () => gone.abort());
        slot = await slot;
        // What there is to go on with may have changed while it waited.
        asked = read();
      }
    } catch (error) {
      if (gone.signal.aborted) return;
      if (this.#endsAtMs !== undefined) return this.#reject(channel, asked, exchange);
      this.#countRefusal(channel, error);
      throw error;
    }
    if (isAhead(asked.position, commits.head)) {
      const isKnown = await this.#arrival(commits, response);
      asked = read();
      const mayBeElsewhere = !isKnown || isCutOff(channel.sources?.sourceState());
      if (mayBeElsewhere && isAhead(asked.position, commits.head)) return this.#sendOn(channel, asked, exchange, slot);
    }
    this.#open(channel, asked, exchange, slot);
  }

  /** Ends all streams in order, spread over a time; who comes meanwhile is told to come later (PUSH-32). */
  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  /** Cuts what is left, and takes no more commits. What the streams are pushed from stays open. */
  close(): void {
    clearInterval(this.#timer);
    for (const push of this.#pushes) push.close();
  }

  async #drain(): Promise<void> {
    this.#endsAtMs = this.#options.clock() + this.#options.settings.shutdownGraceMs;
    this.#endedConnections = this.admission.size;
    this.admission.stop();
    for (const goOn of this.#ahead) goOn();
    await this.#endAll([...this.#pushes]);
  }

  async #endAll(pushes: readonly StreamPush[]): Promise<void> {
    const { clock, settings } = this.#options;
    const startedMs = clock();
    const open = pushes.flatMap((push) => push.subscribers().map((subscriber) => () => push.end(subscriber)));
    const endedBy = endingPlan(open.length, settings.shutdownGraceMs * SPREAD_SHARE);
    for (let ended = 0; ended < open.length; ) {
      for (const due = endedBy(clock() - startedMs); ended < due; ended += 1) open[ended]?.();
      if (ended < open.length) await wait(ENDING_STEP_MS);
    }
    // What waits for a reader that still reads has left long before.
    const leftMs = clock() + LAST_WORDS_MS;
    while (pushes.some(({ size }) => size > 0) && clock() < leftMs) await wait(ENDING_STEP_MS);
    for (const push of pushes) push.close();
  }

  /** Whether what a reader lacks is to be read for it. */
  #isReplay({ commits }: Channel, { position: { after, isState } }: PushRequest): boolean {
    return isState || (after < commits.head.sequence && commits.bytesAfter(after) === undefined);
  }

  #countRefusal({ push }: Channel, error: unknown): void {
    const refusal = this.#refusals.find(({ code }) => isStreamError(error, code));
    if (!refusal) return;
    push.counters.refused[refusal.reason] += 1;
    refusal.count.add();
    this.#logRefusals();
  }

  #logRefusals(): void {
    const nowMs = this.#options.clock();
    for (const { limit, count } of this.#refusals) {
      const refused = count.take(nowMs);
      const connections = this.admission.size;
      if (refused > 0) this.#options.logger.warn({ limit, connections, refused }, 'push limit reached');
    }
  }

  #reject(channel: Channel, asked: PushRequest, exchange: PushExchange): void {
    channel.push.counters.refused.stopping += 1;
    const { settings, clock, random } = this.#options;
    const leftMs = Math.max(0, (this.#endsAtMs ?? 0) - clock());
    const retryMs = retryWaitMs(settings, this.#endedConnections, random());
    const head = headOf(channel, { ...asked, encoding: 'identity' });
    answerWithoutStream(exchange, head, Math.ceil(leftMs + retryMs));
  }

  /** Has a reader who knows of commits that may be on another node come back, to whichever node it gets to. */
  #sendOn(channel: Channel, asked: PushRequest, exchange: PushExchange, slot: Slot): void {
    slot.release();
    if (isGone(exchange)) return;
    channel.push.counters.refused.behind += 1;
    const { settings, random } = this.#options;
    const head = headOf(channel, { ...asked, encoding: 'identity' });
    answerWithoutStream(exchange, head, retryWaitMs(settings, this.admission.size, random()));
  }

  /**
   * Resolves as soon as this side has the commits that a reader knows of, or it waits for them no longer; whether it is known
   * that it has all that there are.
   */
  #arrival(commits: EncodedCommits, response: PushExchange['response']): Promise<boolean> {
    return new Promise((resolve) => {
      const goOn = (isKnown = false) => {
        clearTimeout(timer);
        this.#ahead.delete(goOn);
        resolve(isKnown);
      };
      // A log that hangs does not keep its readers waiting for ever: then it is a gap.
      const timer = setTimeout(goOn, CATCH_UP_MS);
      this.#ahead.add(goOn);
      response.once('close', () => goOn());
      commits.caughtUp().then(
        () => goOn(true),
        () => goOn(),
      );
    });
  }

  #open(channel: Channel, asked: PushRequest, exchange: PushExchange, slot: Slot): void {
    // The stream or all began to end between its turn and now: it is not one of those that are ended.
    if (isGone(exchange) || this.#endsAtMs !== undefined || channel.isEnding) {
      slot.release();
      if (!isGone(exchange)) this.#reject(channel, asked, exchange);
      return;
    }
    const { settings, clock, random } = this.#options;
    try {
      channel.push.open({
        ...takeOver(exchange, headOf(channel, asked)),
        ...asked,
        // Of an age of their own, so that those that came together do not come back together.
        endsAtMs: clock() + settings.limitAgeMs * (1 - random() / 4),
        retryMs: retryWaitMs(settings, this.admission.size, random()),
        onClose: () => slot.release(),
      });
    } catch (error) {
      // Of a response that somebody else has begun.
      slot.release();
      throw error;
    }
  }
}

/** Waits while an earlier answer is still being written, without a slot; whether the request is still there then. */
async function hasItsTurn({ request, response }: PushExchange): Promise<boolean> {
  // Of those that wait the response is not told when the connection closes.
  if (!request.destroyed) {
    await new Promise<void>((resolve) => {
      response.once('socket', () => resolve());
      request.once('close', () => resolve());
    });
  }
  return response.socket !== null;
}

function isGone({ response }: PushExchange): boolean {
  return ('stream' in response ? response.stream : response).destroyed;
}

function headOf({ commits, link, sources }: Channel, { position, encoding }: PushRequest): PushHead {
  const cursor = { epoch: commits.head.epoch, sequence: position.after };
  return { cursor, link, source: sources?.sourceState(), encoding };
}

/**
 * Spreads the end of streams evenly over a time, so that their readers come back one after the other.
 *
 * @returns how many are to have ended so many milliseconds after the start
 * @see specs/push.md PUSH-32
 */
export function endingPlan(connections: number, graceMs: number): (elapsedMs: number) => number {
  const durationMs = Math.min(graceMs, connections * MS_PER_CONNECTION);
  return (elapsedMs) =>
    elapsedMs >= durationMs ? connections : Math.max(0, Math.floor((connections * elapsedMs) / durationMs));
}

/**
 * How long a reader is to wait before it comes back. It is said while the connection is sound, so it is for the worst: all
 * who are connected are cut at once, and spread over twice the time that it takes to take them on again.
 *
 * @param connections - how many readers may be cut together with this one
 * @param random - in [0, 1)
 * @see specs/push.md PUSH-10
 */
export function retryWaitMs(
  { retryMs, limitAcceptsPerSecond }: Pick<PushSettings, 'retryMs' | 'limitAcceptsPerSecond'>,
  connections: number,
  random: number,
): number {
  const crowdMs = (2000 * connections) / limitAcceptsPerSecond;
  const maxMs = Math.min(retryMs + Math.max(retryMs, crowdMs), Math.max(MAX_CROWD_MS, 2 * retryMs));
  return Math.round(retryMs + random * (maxMs - retryMs));
}
