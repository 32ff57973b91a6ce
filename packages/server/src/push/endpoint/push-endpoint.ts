import { setTimeout as wait } from 'node:timers/promises';
import type { StreamDescription } from '@ldes-live/rdf-stream';
import { streamUrls } from '../../documents/document.ts';
import { type LinkTargets, linkHeader } from '../../http/caching.ts';
import type { PushSettings } from '../../options.ts';
import { Admission, type Place } from '../admission/admission.ts';
import { peerAddress } from '../admission/peer-address.ts';
import { refuseReason } from '../admission/refuse-reason.ts';
import { Broadcast } from '../broadcast/broadcast.ts';
import { PushConnection } from '../broadcast/push-connection.ts';
import type { PacketSource } from '../packets/packet-source.ts';
import type { PushTally } from '../push-tally.ts';
import { endingPlan } from './ending-plan.ts';
import { gapEvent } from './gap-event.ts';
import { type PushRequest, readPushRequest } from './push-request.ts';
import { headOnly, type PushHead, type PushRaw, takeLine, turnAway } from './push-response.ts';
import { isAhead } from './resume-position.ts';
import { retryWaitMs } from './retry-wait.ts';

/** A stream to push. */
export interface PushedStream {
  readonly description: StreamDescription;
  readonly source: PacketSource;
}

/** What a push endpoint needs. */
export interface PushEndpointParts {
  readonly streams: readonly PushedStream[];
  readonly settings: PushSettings;
  readonly links: LinkTargets;
  /** Milliseconds from any beginning, never going back. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Told of faults of this side that end a connection. */
  readonly onError: (error: unknown) => void;
}

/** A stream with its push. */
interface Channel extends PushedStream {
  readonly broadcast: Broadcast;
  readonly link: string;
}

/** How many times in the time of a heartbeat it is looked what is due. */
const TICKS_PER_HEARTBEAT = 5;

/** How often streams are ended while a server stops, milliseconds. */
const ENDING_STEP_MS = 20;

/** The part of the grace period over which streams are ended. */
const SPREAD_SHARE = 0.95;

/** How long a reader who knows of later commits than this side waits for them, milliseconds. */
const CATCH_UP_MS = 5000;

/** How long streams that were ended may take to close, milliseconds. */
const LAST_WORDS_MS = 500;

/** The push endpoints of the streams of one server. */
export class PushEndpoint {
  readonly admission: Admission;
  readonly #parts: PushEndpointParts;
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #timer: NodeJS.Timeout;
  #endsAtMs: number | undefined;
  /** How many were open when they began to be ended. */
  #endedConnections = 0;
  #drained: Promise<void> | undefined;
  /** Ends the waits of those who know of later commits than this side. */
  readonly #ahead = new Set<() => void>();

  constructor(parts: PushEndpointParts) {
    const { streams, settings, links, clock, random, onError } = parts;
    this.#parts = parts;
    this.admission = new Admission(settings, { clock, random });
    this.#channels = new Map(
      streams.map(({ description, source }) => {
        const urls = streamUrls(description);
        const gap = (after: number) => gapEvent({ epoch: source.head.epoch, sequence: after }, source.head, urls);
        const broadcast = new Broadcast(source, settings, { clock, onError }, gap);
        return [description.name, { description, source, broadcast, link: linkHeader(urls, links) }];
      }),
    );
    const tickMs = settings.heartbeatMs / TICKS_PER_HEARTBEAT;
    this.#timer = setInterval(() => {
      for (const { broadcast } of this.#channels.values()) broadcast.tick(tickMs);
    }, tickMs);
  }

  /** Tells of a fault of this side. */
  fault(error: unknown): void {
    this.#parts.onError(error);
  }

  /** How many connections of a stream are open; 0 for an unknown one. */
  connections(name: string): number {
    return this.#channels.get(name)?.broadcast.size ?? 0;
  }

  /** What the push of each stream has done so far, by name. */
  get tallies(): ReadonlyMap<string, PushTally> {
    return new Map([...this.#channels].map(([name, { broadcast }]) => [name, broadcast.tally]));
  }

  /**
   * Answers a request with the events of a stream.
   *
   * @param name - of one of the streams
   * @returns once the stream has begun, the client has gone, or an error was thrown: then nothing has been answered
   * @throws {@link StreamError} those of `readPushRequest` and `Admission.admit`
   * @see specs/push.md PUSH-1
   */
  serve(name: string, raw: PushRaw): void | Promise<void> {
    if (!('stream' in raw.response) && !raw.response.socket) return this.#serveLater(name, raw);
    const channel = this.#channels.get(name) as Channel;
    const { settings } = this.#parts;
    const asked = readPushRequest(raw.request, channel.source, settings);
    if (raw.request.method === 'HEAD') return headOnly(raw, headOf(channel, asked));
    if (this.#endsAtMs !== undefined) return this.#turnAway(channel, asked, raw);
    const { latest } = streamUrls(channel.description);
    try {
      const gone = new AbortController();
      const place = this.admission.admit(peerAddress(raw.request), latest, gone.signal);
      if (!(place instanceof Promise)) return this.#enter(channel, asked, raw, place);
      raw.response.once('close', () => gone.abort());
      return place.then(
        // What there is to go on with may have changed while it waited.
        (turn) => this.#enter(channel, readPushRequest(raw.request, channel.source, settings), raw, turn),
        (error: unknown) => {
          if (gone.signal.aborted) return;
          if (this.#endsAtMs === undefined) throw error;
          this.#turnAway(channel, asked, raw);
        },
      );
    } catch (error) {
      const reason = refuseReason(error);
      if (reason) channel.broadcast.tally.refused[reason] += 1;
      throw error;
    }
  }

  /**
   * Ends all streams in order, spread over a time, so that their readers do not come back all at once; who comes
   * meanwhile is told to come later. Resolves when all have ended. May be called more than once.
   *
   * @see specs/push.md PUSH-11
   */
  drain(): Promise<void> {
    this.#drained ??= this.#drain(this.#parts.settings.shutdownGraceMs);
    return this.#drained;
  }

  async #drain(graceMs: number): Promise<void> {
    const { clock } = this.#parts;
    const startedMs = clock();
    this.#endsAtMs = startedMs + graceMs;
    this.#endedConnections = this.admission.size;
    this.admission.stop();
    for (const goOn of this.#ahead) goOn();
    const broadcasts = [...this.#channels.values()].map(({ broadcast }) => broadcast);
    const open = broadcasts.flatMap((broadcast) =>
      broadcast.connections().map((connection) => () => broadcast.end(connection)),
    );
    // The last one is to be gone by the end of it.
    const endedBy = endingPlan(open.length, graceMs * SPREAD_SHARE);
    for (let ended = 0; ended < open.length; ) {
      for (const due = endedBy(clock() - startedMs); ended < due; ended += 1) open[ended]?.();
      if (ended < open.length) await wait(ENDING_STEP_MS);
    }
    // What waits for a reader that still reads has left long before.
    const leftMs = clock() + LAST_WORDS_MS;
    while (this.admission.size > 0 && clock() < leftMs) await wait(ENDING_STEP_MS);
    for (const broadcast of broadcasts) broadcast.close();
  }

  /** Cuts what is left, and takes no more commits. The sources stay open. */
  close(): void {
    clearInterval(this.#timer);
    for (const { broadcast } of this.#channels.values()) broadcast.close();
  }

  #turnAway(channel: Channel, asked: PushRequest, raw: PushRaw): void {
    channel.broadcast.tally.refused.stopping += 1;
    const leftMs = Math.max(0, (this.#endsAtMs ?? 0) - this.#parts.clock());
    const head = headOf(channel, { ...asked, encoding: 'identity' });
    turnAway(raw, head, Math.ceil(leftMs + this.#retryMs(this.#endedConnections)));
  }

  /** @param connections - how many may come back together with the one that is told */
  #retryMs(connections: number): number {
    const { settings, random } = this.#parts;
    const { retryMs, limitAcceptsPerSecond: acceptsPerSecond } = settings;
    return retryWaitMs({ retryMs, connections, acceptsPerSecond, random: random() });
  }

  /** On a connection on which an earlier answer is still being written: until it is its turn it takes no place. */
  async #serveLater(name: string, { request, response }: PushRaw): Promise<void> {
    // Of those that wait the response is not told when the connection closes.
    if (!request.destroyed) {
      await new Promise<void>((resolve) => {
        response.once('socket', () => resolve());
        request.once('close', () => resolve());
      });
    }
    if (response.socket) return this.serve(name, { request, response });
  }

  /** Lets in who has a place: at once, or as soon as this side has the commits that the reader knows of. */
  #enter(channel: Channel, asked: PushRequest, raw: PushRaw, place: Place): void | Promise<void> {
    const { source } = channel;
    if (!source.caughtUp || !isAhead(asked.position, source.head)) return this.#open(channel, asked, raw, place);
    const caughtUp = source.caughtUp();
    return new Promise<void>((resolve) => {
      const goOn = () => {
        clearTimeout(timer);
        this.#ahead.delete(goOn);
        resolve();
      };
      // A source that hangs does not keep its readers waiting for ever: then it is a gap.
      const timer = setTimeout(goOn, CATCH_UP_MS);
      this.#ahead.add(goOn);
      raw.response.once('close', goOn);
      caughtUp.then(goOn, goOn);
    }).then(() => this.#open(channel, readPushRequest(raw.request, source, this.#parts.settings), raw, place));
  }

  #open(channel: Channel, asked: PushRequest, raw: PushRaw, place: Place): void {
    const { response } = raw;
    const isGone = ('stream' in response ? response.stream : response).destroyed;
    // Told to stop between its turn and now: it is none of those that are ended.
    if (isGone || this.#endsAtMs !== undefined) {
      place.leave();
      if (!isGone) this.#turnAway(channel, asked, raw);
      return;
    }
    try {
      this.#begin(channel, asked, raw, place);
    } catch (error) {
      // Of a response that somebody else has begun.
      place.leave();
      throw error;
    }
  }

  #begin(channel: Channel, asked: PushRequest, raw: PushRaw, place: Place): void {
    const { broadcast, source, description } = channel;
    const { settings, clock, random } = this.#parts;
    const { position, filter, encoding } = asked;
    const { head } = source;
    const { line, isChunked, header } = takeLine(raw, headOf(channel, asked));
    const nowMs = clock();
    // Of an age of their own, so that those that came together do not come back together.
    const endsAtMs = nowMs + settings.limitAgeMs * (1 - random() / 4);
    const connection = new PushConnection({ line, encoding, isChunked, filter, endsAtMs, nowMs });
    line.on('close', () => {
      place.leave();
      broadcast.leave(connection);
    });
    // What the reader breaks off is no fault of the server.
    line.on('error', ignore);
    const { gapFrom } = position;
    connection.open(
      header,
      this.#retryMs(this.admission.size),
      gapFrom && gapEvent(gapFrom, head, streamUrls(description)),
    );
    if (gapFrom) broadcast.tally.gaps += 1;
    else if (position.after !== head.sequence) broadcast.tally.replays += 1;
    broadcast.join(connection, position);
  }
}

function headOf({ source, link }: Channel, { position, encoding }: PushRequest): PushHead {
  return { cursor: { epoch: source.head.epoch, sequence: position.after }, link, encoding };
}

function ignore(): void {}
