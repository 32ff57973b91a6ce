import type { Mode } from '@ldes-live/latency';
import type { Cursor, StreamError } from '@ldes-live/rdf-stream';
import { hiddenAgeMs, predictedMs } from '../connection/poll-planner.ts';
import type { PushSeat } from '../connection/push-channel.ts';
import type { StreamConnection } from '../connection/stream-connection.ts';
import type { ClientEnvironment } from '../environment.ts';
import { retryAfterOf } from '../errors.ts';
import type { DocumentHead } from '../http/document.ts';
import type { Receipt } from '../http/http-client.ts';
import type { ClientLimits, FollowOptions } from '../options.ts';
import type { FollowedTree } from '../tree/read-tree.ts';
import type { Sleep } from '../waiting.ts';
import { pushOffer, type StreamProfile } from './discover.ts';
import type { Gate } from './gate.ts';
import { PageWalk } from './pull.ts';

/** What a {@link FollowSession} works with. */
export interface SessionOptions {
  /** URL of the stream's root. */
  readonly url: string;
  /** Where to start when there is no position: the latest state, the first member, or the head. */
  readonly from: 'latest' | 'start' | 'now';
  /** The rest of what was asked for. */
  readonly request: FollowOptions;
  /** The maximum acceptable latency of this follower, milliseconds. */
  readonly malMs: number;
  readonly phase: number;
  readonly limits: ClientLimits;
  readonly environment: ClientEnvironment;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly share: StreamConnection;
  readonly gate: Gate;
}

/** Trouble that is expected to pass. */
export interface Trouble {
  /** Since when, epoch milliseconds. */
  readonly sinceMs: number;
  /** The last error. */
  readonly error: StreamError;
  /** The wait that the server asked for, milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** What a follower knows while it follows; what it does with it stands in the activities. */
export class FollowSession {
  readonly options: SessionOptions;
  readonly pages: PageWalk;
  /** Ends everything under way. */
  signal: AbortSignal = new AbortController().signal;
  /** What is known of a stream of ours. */
  profile: StreamProfile | undefined;
  /** The reading of an LDES that is not ours, or that is read as if it were not. */
  tree: FollowedTree | undefined;
  /** Its place at the push connection, while it is there. */
  push: PushSeat | undefined;
  /** Pushed events in a row that came late, for which this reader is not to blame. */
  lateEvents = 0;
  /** When the last pushed update was published, epoch milliseconds by our clock. */
  lastPushedMs: number | undefined;
  trouble: Trouble | undefined;
  /** The cursor that could not be continued, until the reader has been told. */
  lost: { readonly cursor: Cursor; readonly via: Mode } | undefined;
  /** How often the root lacked something that a live stream's has. */
  incompleteRoots = 0;
  /** Pages in a row that ended before the position: the first, and those that were asked for past caches after it. */
  pagesBehind = 0;
  /** How the last iteration ended, unless its reader left: nothing can follow, or an error was thrown. */
  ending: 'finished' | StreamError | undefined;
  /** Up to which sequence a hole has to be repaired. */
  holeEnd = 0;
  /** Why the push connection is being checked: what is found then was not brought by it. */
  doubt: string | undefined;
  /** When the push connection last brought an event, or was checked, epoch milliseconds. */
  newsAtMs = Number.NEGATIVE_INFINITY;
  /** Checks in a row that found nothing. */
  failedProbes = 0;
  /** Whether those who share the stream have read on while it was reading. */
  isLeftBehind = false;
  /** Whether everything that there was has been delivered. */
  isCaughtUp = false;
  /** The instant up to which nothing published is missing, epoch milliseconds. */
  currentAtMs = Number.NEGATIVE_INFINITY;
  /** The mode in use, and why. */
  choice: { readonly mode: Mode; readonly reason: string } = { mode: 'pull', reason: 'no way is chosen yet' };
  /** As of which change of the MAL that rules it was chosen. */
  chosenAt = 0;
  /** Up to which jump of the clock it has looked what was missed. */
  jumpsSeen = 0;
  /** What it took to begin this iteration, until that is done: its reader wanted it, so it was not fruitless. */
  #opening: Receipt[] | undefined;
  /** Called at the end of a synchronisation run. */
  onCaughtUp: () => void = () => {};
  /** Called when the status may have changed. */
  onChange: () => void = () => {};

  constructor(options: SessionOptions) {
    this.options = options;
    this.pages = new PageWalk(options.share.http);
  }

  /** Begins an iteration, which a signal ends. */
  begin(signal: AbortSignal): void {
    const { gate, share, malMs } = this.options;
    this.signal = signal;
    this.isCaughtUp = false;
    this.ending = undefined;
    this.#opening = [];
    gate.begin();
    share.enter(this, malMs);
    this.jumpsSeen = share.jumps.count;
  }

  /** Ends an iteration. */
  end(): void {
    this.closePush();
    this.options.share.leave(this);
  }

  /** Takes note of a document that an iteration begins with. */
  openedBy({ receipt }: Pick<DocumentHead, 'receipt'>): void {
    this.#opening?.push(receipt);
  }

  /** Takes note that the start is over: only the first of an iteration is the reader's wish. */
  started(): void {
    for (const receipt of this.#opening ?? []) this.options.share.http.refund(receipt);
    this.#opening = undefined;
  }

  /** The stream and the position in it; both are known once the start is over. */
  located(): { readonly profile: StreamProfile; readonly position: Cursor } {
    return { profile: this.profile as StreamProfile, position: this.options.gate.position as Cursor };
  }

  /** Takes note that the position cannot be continued. */
  lose(via: Mode): void {
    this.lost = { cursor: this.located().position, via };
    this.isCaughtUp = false;
    this.holeEnd = 0;
    this.pagesBehind = 0;
    this.options.gate.gaps += 1;
  }

  /** Takes note that everything up to a document has been delivered. */
  caughtUp(head: DocumentHead): void {
    const { profile, position } = this.located();
    const { share } = this.options;
    const { clockOffsetMs } = share.http;
    const { pollingIntervalSeconds } = profile.context;
    const intervalMs = pollingIntervalSeconds === undefined ? undefined : pollingIntervalSeconds * 1000;
    const newest = share.planner.planAfter(head, intervalMs, clockOffsetMs);
    const nextUpdateMs = predictedMs(newest, clockOffsetMs, intervalMs);
    share.rhythm.stated({
      ...(nextUpdateMs === undefined ? {} : { nextUpdateMs: nextUpdateMs + clockOffsetMs }),
      ...(intervalMs === undefined ? {} : { intervalMs }),
    });
    const { epoch, sequence } = newest.cursor ?? position;
    this.isLeftBehind = epoch !== position.epoch || sequence > position.sequence;
    // Whoever has all that the newest document accounts for is as current as that.
    const shown = this.isLeftBehind ? head : newest;
    const dueMs = predictedMs(shown, clockOffsetMs, intervalMs) ?? Number.NEGATIVE_INFINITY;
    this.#atHead(Math.max(shown.sentMs - hiddenAgeMs(shown), dueMs));
    this.offered(head);
  }

  /** Takes note that everything was delivered that another LDES had. */
  caughtUpTo(atMs: number): void {
    this.#atHead(atMs);
  }

  /** Takes note of what a response says of push: the publisher states its break-even anew with its load. */
  offered({ links }: Pick<DocumentHead, 'links'>): void {
    const push = pushOffer(links);
    if (push && this.profile) this.profile = { ...this.profile, push };
  }

  /** Takes note of an error that is expected to pass. */
  troubled(error: StreamError, retryAfterMs = retryAfterOf(error)): void {
    this.trouble = { sinceMs: this.trouble?.sinceMs ?? this.options.clock(), error, retryAfterMs };
  }

  /** Leaves the push connection, if it is there. */
  closePush(): void {
    const { push } = this;
    if (!push) return;
    this.currentAtMs = this.provenAtMs();
    push.close();
    this.push = undefined;
  }

  /** Whether its push connection told of more than was delivered, as far as that is known. */
  get isBehindPush(): boolean {
    const { push } = this;
    return push !== undefined && (!push.isEmpty || push.toldTo > this.located().position.sequence);
  }

  /** The instant up to which everything has been delivered, as far as anything shows, epoch milliseconds. */
  provenAtMs(): number {
    const { push, currentAtMs } = this;
    // A heartbeat shows nothing of what waits before it.
    if (!push || this.isBehindPush) return currentAtMs;
    return Math.max(currentAtMs, push.connection.beatAtMs - this.deliveryMs(this.options.share.planner.readMs));
  }

  /** How late updates come by push, milliseconds; `otherwiseMs` while none has come. */
  deliveryMs(otherwiseMs: number): number {
    return this.options.gate.deliveryMs(otherwiseMs);
  }

  /** Takes note that our clock jumped by so many milliseconds; below 0 where it was set back. */
  jumped(jumpMs: number): void {
    this.options.gate.forgetDelays();
    // No machine sleeps backwards: the clock was set, and what it showed before it would now show earlier.
    if (jumpMs < 0) this.currentAtMs += jumpMs;
  }

  #atHead(currentAtMs: number): void {
    this.currentAtMs = currentAtMs;
    this.trouble = undefined;
    this.isCaughtUp = true;
    this.onCaughtUp();
  }
}
