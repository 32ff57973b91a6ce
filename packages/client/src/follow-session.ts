import { type Mode, quantile, type SampleWindow, withSample } from '@ldes-live/latency';
import { type Cursor, formatCursor, type Member, type StreamError } from '@ldes-live/rdf-stream';
import type { MemberChange } from './change.ts';
import type { ClientLimits } from './client-limits.ts';
import { pushOffer, type StreamProfile } from './discover-stream.ts';
import type { FollowState } from './follow-state.ts';
import type { HttpReader } from './http-reader.ts';
import { type LiveStatus, lagBound } from './live-status.ts';
import type { PushConnection } from './open-push.ts';
import { PageWalk } from './page-walk.ts';
import { PollPlanner } from './poll-planner.ts';
import { FULL_TRUST, type PushTrust } from './push-trust.ts';
import type { DocumentHead } from './read-document.ts';
import type { Sequencer } from './sequencer.ts';
import type { Sleep } from './within.ts';

/** What a {@link FollowSession} works with. */
export interface FollowOptions {
  /** URL of the stream's root. */
  readonly url: string;
  /** Where to start when there is no position: the latest state, the first member, or the head. */
  readonly from: 'latest' | 'start' | 'now';
  /** The maximum acceptable latency, milliseconds. */
  readonly malMs: number;
  /** The client's place among all others, in [0, 1). */
  readonly phase: number;
  readonly limits: ClientLimits;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly http: HttpReader;
  readonly sequencer: Sequencer;
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
  readonly options: FollowOptions;
  readonly planner: PollPlanner;
  readonly pages: PageWalk;
  /** Ends everything under way. */
  signal: AbortSignal = new AbortController().signal;
  profile: StreamProfile | undefined;
  connection: PushConnection | undefined;
  trust: PushTrust = FULL_TRUST;
  trouble: Trouble | undefined;
  /** The cursor that could not be continued, until the reader has been told. */
  lost: { readonly cursor: Cursor; readonly via: Mode } | undefined;
  /** Up to which sequence a hole has to be repaired. */
  holeEnd = 0;
  /** The mode chosen last when both were to be had. */
  preferred: Mode | undefined;
  /** The mode in use, and why. */
  choice: { readonly mode: Mode; readonly reason: string } = { mode: 'pull', reason: 'the stream is being looked up' };
  #startedAtMs = Number.POSITIVE_INFINITY;
  #pushLags: SampleWindow = [];
  #malMisses = 0;
  #gaps = 0;

  constructor(options: FollowOptions) {
    this.options = options;
    this.planner = new PollPlanner(options);
    this.pages = new PageWalk(options.http);
  }

  /** Begins an iteration, which a signal ends. */
  begin(signal: AbortSignal): void {
    this.signal = signal;
    this.#startedAtMs = this.options.clock();
  }

  /** The stream and the position in it; both are known once the start is over. */
  located(): { readonly profile: StreamProfile; readonly position: Cursor } {
    return { profile: this.profile as StreamProfile, position: this.options.sequencer.position as Cursor };
  }

  /** Makes the change that tells of a member, and counts it if it is late. */
  tell(member: Member, via: Mode, role: 'state' | 'update'): MemberChange {
    const { clock, http, malMs } = this.options;
    const { epoch } = this.located().position;
    const publishedMs = Date.parse(member.time) - http.clockOffsetMs;
    const lagMs = Math.max(0, clock() - publishedMs);
    // What was published before this reader came could not reach it in time.
    if (role === 'update' && publishedMs > this.#startedAtMs && lagMs > malMs) this.#malMisses += 1;
    if (via === 'push' && publishedMs > (this.connection?.openedAtMs ?? Number.POSITIVE_INFINITY)) {
      this.#pushLags = withSample(this.#pushLags, lagMs);
    }
    return { kind: member.kind, member, cursor: formatCursor({ epoch, sequence: member.sequence }), via, lagMs };
  }

  /** Takes note that the position cannot be continued. */
  lose(via: Mode): void {
    this.lost = { cursor: this.located().position, via };
    this.#gaps += 1;
  }

  /** Takes note that everything up to a document has been delivered. */
  caughtUp(head: DocumentHead): void {
    const { profile } = this.located();
    const { pollingIntervalSeconds } = profile.context;
    const intervalMs = pollingIntervalSeconds === undefined ? undefined : pollingIntervalSeconds * 1000;
    this.planner.planAfter(head, intervalMs, this.options.http.clockOffsetMs);
    this.trouble = undefined;
    // The publisher states its break-even anew with its load.
    const push = pushOffer(head.links);
    if (push) this.profile = { ...profile, push };
  }

  /** Takes note of an error that is expected to pass. */
  troubled(error: StreamError, retryAfterMs = retryAfterOf(error)): void {
    this.trouble = { sinceMs: this.trouble?.sinceMs ?? this.options.clock(), error, retryAfterMs };
  }

  /** Closes the push connection, if there is one. */
  closePush(): void {
    if (this.connection?.worked) this.planner.current(this.connection.heardAtMs - this.#deliveryMs());
    this.connection?.close();
    this.connection = undefined;
  }

  /** How the follower fares in a state. */
  status({ name }: FollowState): LiveStatus {
    const { clock, http } = this.options;
    const nowMs = clock();
    const { connection, planner, trouble, choice } = this;
    const { plan, currentAtMs, readMs } = planner;
    const push = connection && {
      silentMs: nowMs - connection.heardAtMs,
      deliveryMs: this.#deliveryMs(),
    };
    return {
      state: name,
      mode: choice.mode,
      reason: trouble
        ? `in trouble since ${new Date(trouble.sinceMs).toISOString()}: ${trouble.error.message}`
        : choice.reason,
      lagBoundMs: lagBound({
        nowMs,
        currentAtMs,
        readMs,
        ...(plan ? { plannedMs: plan.lagBoundMs } : {}),
        ...(push ? { push } : {}),
      }),
      malMisses: this.#malMisses,
      gaps: this.#gaps,
      requests: http.requests,
      bytes: http.bytes,
    };
  }

  #deliveryMs(): number {
    return quantile(this.#pushLags, 0.99, this.planner.readMs);
  }
}

/** The wait that the server asked for by its answer, milliseconds. */
export function retryAfterOf(error: StreamError): number | undefined {
  return error.details.retryAfterMs as number | undefined;
}
