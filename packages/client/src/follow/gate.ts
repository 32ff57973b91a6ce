import { type Mode, quantile } from '@ldes-live/latency';
import {
  type Cursor,
  dateTimeMs,
  type FilterMatch,
  formatCursor,
  isNewestState,
  type Member,
  type MemberFilter,
} from '@ldes-live/rdf-stream';
import type { GapChange, MemberChange } from '../change.ts';
import { MAX_PAUSE_MS } from '../connection/circuit-breaker.ts';
import { RECENT_MS } from '../connection/poll-planner.ts';
import type { Outbox } from '../outbox.ts';
import type { Lost } from './state.ts';

/*
 * The one way to the reader, whatever way members come. Each takes its place in the sequence first, so that it is let through
 * once and in order. If it also fits the filter, the reader gets it as a change, which is counted if it is late:
 *
 *   position k3x9a-42, member #43 -> accept: 'next', position k3x9a-43
 *   -> tell: { kind: 'upsert', member: #43, cursor: 'k3x9a-43', via: 'push', lagMs: 84, isNewest: true, ... } -> outbox
 */

/** A member is the next one for a reader, or one that it has or does not need, or one beyond what it lacks. */
export type Place = 'next' | 'seen' | 'beyond';

interface GateOptions {
  readonly outbox: Outbox;
  /** Where an earlier reading ended, if there was one. */
  readonly position: Cursor | undefined;
  /** That of this reader. */
  readonly malMs: number;
  readonly clock: () => number;
  /** The server's clock minus ours, milliseconds, as it is known now. */
  readonly clockOffsetMs: () => number;
  /** Absent for the whole stream. */
  readonly filter: MemberFilter | undefined;
  /** Entities that left the boxes of the filter whose times are remembered. */
  readonly limitLeft: number;
}

const DONE = Promise.resolve();

/** How late an update came by push, by our clock against the server's, and when. */
interface Delay {
  readonly ms: number;
  readonly atMs: number;
}

// Of how many updates that is known.
const MAX_DELAYS = 64;

/** How a member came. */
interface Told {
  readonly via: Mode;
  readonly endsCommit: boolean;
  /** It is part of the state that a reading begins with, and not what came after. */
  readonly isState?: boolean;
  /** It is of a conflation, which leaves out what its entity was before and whether that ended. */
  readonly isConflated?: boolean;
  /** When the push connection that brought it was opened, epoch milliseconds by our clock. */
  readonly openedAtMs?: number | undefined;
}

/** Lets each member through once and in order, and counts what came late (MAL-10). */
export class Gate {
  /** Whether members are versions of entities: else each is an entity of its own, and there is nothing to keep. */
  hasEntities = true;
  // As the status has them.
  updates = 0;
  maxLagMs = 0;
  malMisses = 0;
  gaps = 0;
  /** Members that conflations left out, so far; 0 with a filter, which leaves out some of them itself. */
  leftOut = 0;
  readonly #options: GateOptions;
  // The newest time of what was delivered, epoch milliseconds by the server's clock.
  #newestMs = Number.NEGATIVE_INFINITY;
  #position: Cursor | undefined;
  // How far a conflation was taken beyond the position, and how many members that were.
  #aheadTo = 0;
  #aheadTaken = 0;
  #aheadFrom = 0;
  #startedAtMs = Number.POSITIVE_INFINITY;
  #pushDelays: readonly Delay[] = [];
  // Version times of the newest states that have one, by entity.
  readonly #versionTimes = new Map<string, string>();
  // Entities of these that left the boxes, the one that left first before all others.
  readonly #left = new Set<string>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** The last cursor from which nothing that the reader was not given is missing; `undefined` before the first. */
  get position(): Cursor | undefined {
    return this.#position;
  }

  /** Its sequence; 0 before the first. */
  get sequence(): number {
    return this.#position?.sequence ?? 0;
  }

  /** Whether something at a cursor is not here yet, or is of another life of the log. */
  isBefore(cursor: Cursor | undefined): boolean {
    return cursor !== undefined && (cursor.epoch !== this.#position?.epoch || cursor.sequence > this.sequence);
  }

  /** Counts a gap: the position cannot be continued. */
  lose(via: Mode): Lost {
    this.gaps += 1;
    return { cursor: this.#position as Cursor, via };
  }

  /** An iteration begins: what was published before it could not reach its reader in time. */
  begin(): void {
    this.#startedAtMs = this.#options.clock();
  }

  /** Goes on from a cursor: nothing is missing before it. */
  restart(position: Cursor): void {
    this.#position = position;
    this.#aheadTo = 0;
  }

  /** Takes a member whose place is known: of the state members may be missing before it, as others replaced them. */
  takeState(member: Member): void {
    this.#position = { epoch: this.#position?.epoch as string, sequence: member.sequence };
  }

  /** Says what a member is, and takes it if it is the next. */
  accept(member: Member): Place {
    const { sequence } = member;
    if (sequence !== this.sequence + 1) return sequence <= this.sequence ? 'seen' : 'beyond';
    this.takeState(member);
    if (sequence > this.#aheadTo) return 'next';
    // A conflation that broke off had it, or a newer version of its entity.
    if (sequence === this.#aheadTo) this.#countLeftOut(sequence - this.#aheadFrom - this.#aheadTaken);
    return 'seen';
  }

  /** Goes on to a sequence up to which a server that filters left everything out. */
  skipTo(sequence: number): void {
    if (this.#position && sequence > this.sequence) this.#position = { epoch: this.#position.epoch, sequence };
  }

  /**
   * Takes a member of a conflation, which come by sequence; the position stays until all that it stands for is here.
   * Returns whether it is new: a conflation that broke off comes again.
   */
  acceptConflated({ sequence }: Member): boolean {
    if (sequence <= Math.max(this.sequence, this.#aheadTo)) return false;
    if (this.#aheadTo <= this.sequence) {
      this.#aheadFrom = this.sequence;
      this.#aheadTaken = 0;
    }
    this.#aheadTo = sequence;
    this.#aheadTaken += 1;
    return true;
  }

  /** Ends a conflation at the cursor that it reaches. */
  endConflated(position: Cursor): void {
    const from = this.sequence;
    if (position.sequence <= from) return;
    const isTaking = this.#aheadTo > from;
    this.#countLeftOut(position.sequence - (isTaking ? this.#aheadFrom + this.#aheadTaken : from));
    this.restart(position);
  }

  /** Gives the reader a member that has its place, unless the filter leaves it out, and resolves when more may be read. */
  tell(member: Member, told: Told): Promise<void> {
    const change = this.#changeOf(member, told);
    return change ? this.#options.outbox.put(change) : DONE;
  }

  /** As {@link tell}, for members that follow each other, each when the reader asks for it. */
  tellEach(members: Iterable<Member>, told: Told): Promise<void> {
    return this.#options.outbox.putEach(this.#changesOf(members, told));
  }

  *#changesOf(members: Iterable<Member>, told: Told): Generator<MemberChange> {
    for (const member of members) {
      this.takeState(member);
      const change = this.#changeOf(member, told);
      if (change) yield change;
    }
  }

  // `undefined` where the filter leaves it out.
  #changeOf(member: Member, told: Told): MemberChange | undefined {
    const { clock, outbox } = this.#options;
    const publishedMs = this.#publishedMs(member);
    const nowMs = clock();
    const lagMs = Math.max(0, nowMs - publishedMs);
    const { via, endsCommit, isState = false, isConflated = false, openedAtMs = Number.POSITIVE_INFINITY } = told;
    // As the server stated it, since what is known of its clock may change.
    if (publishedMs > openedAtMs) {
      const delay = { ms: nowMs - Date.parse(member.time), atMs: nowMs };
      this.#pushDelays = [...this.#pushDelays.slice(1 - MAX_DELAYS), delay];
    }
    const match = this.#match(member);
    if (!match) return undefined;
    const isNewest = this.#isNewest(member, isState || isConflated, match);
    const change: MemberChange = {
      kind: member.kind,
      member,
      cursor: formatCursor(this.#position as Cursor),
      via,
      lagMs,
      isLive: !isState && this.#isLive(publishedMs),
      conflated: 0,
      isNewest,
      endsCommit,
      // A delete ends an entity that was in the filter.
      inFilter: match === 'inside' || member.kind === 'delete',
    };
    // A change that waits for its reader may be left out, or be late only when it is taken.
    if (!outbox.buffer) this.#delivered(change);
    return change;
  }

  /** Gives the reader a gap: what was known is void. */
  tellGap(gap: Pick<GapChange, 'cursor' | 'from' | 'via'>): Promise<void> {
    this.#versionTimes.clear();
    this.#left.clear();
    this.#options.filter?.restart();
    return this.#options.outbox.put({ kind: 'gap', ...gap });
  }

  /** The change that waited for its reader: it is as late as it is delivered. */
  toldAfterWaiting(change: MemberChange): MemberChange {
    const publishedMs = this.#publishedMs(change.member);
    const lagMs = Math.max(change.lagMs, this.#options.clock() - publishedMs);
    const delivered = { ...change, lagMs, isLive: change.isLive && this.#isLive(publishedMs) };
    this.#delivered(delivered);
    return delivered;
  }

  /** How late the first of these updates already is that is live for this iteration, milliseconds; 0 without one. */
  waitedMs(updates: Iterable<MemberChange>): number {
    for (const { member } of updates) {
      const publishedMs = this.#publishedMs(member);
      if (this.#isLive(publishedMs)) return Math.max(0, this.#options.clock() - publishedMs);
    }
    return 0;
  }

  /**
   * How late updates come by push, milliseconds; `otherwiseMs` while none has come, or none for long: nothing else would ever
   * show that push is no longer late, where it was left for that.
   */
  deliveryMs(otherwiseMs: number): number {
    const nowMs = this.#options.clock();
    const newest = this.#pushDelays.at(-1);
    if (!newest || nowMs - newest.atMs > MAX_PAUSE_MS) return otherwiseMs;
    // What was late once, as when a server stood still, is not late for ever.
    const recent = this.#pushDelays.filter(({ atMs }) => atMs === newest.atMs || nowMs - atMs <= RECENT_MS);
    const delaysMs = recent.map(({ ms }) => ms);
    return Math.max(0, quantile(delaysMs, 0.99, 0) + this.#options.clockOffsetMs());
  }

  forgetDelays(): void {
    this.#pushDelays = [];
  }

  /** How old the newest is of what was delivered, milliseconds; `undefined` before the first. */
  get dataAgeMs(): number | undefined {
    const { clock, clockOffsetMs } = this.#options;
    if (this.#newestMs === Number.NEGATIVE_INFINITY) return undefined;
    return Math.max(0, Math.round(clock() + clockOffsetMs() - this.#newestMs));
  }

  // What was published before the reading began could not come in time.
  #isLive(publishedMs: number): boolean {
    return publishedMs > this.#startedAtMs;
  }

  // One place for all figures of what was delivered, so that none contradicts another.
  #delivered({ member, lagMs, isLive }: MemberChange): void {
    const publishedMs = Date.parse(member.time);
    // Nothing is observed after it was published: such a time is a forecast, or that of a clock that is ahead.
    const observedMs = Math.min(dateTimeMs(member.versionTime ?? ''), publishedMs);
    this.#newestMs = Math.max(this.#newestMs, Number.isNaN(observedMs) ? publishedMs : observedMs);
    if (!isLive) return;
    this.updates += 1;
    this.maxLagMs = Math.max(this.maxLagMs, lagMs);
    if (lagMs > this.#options.malMs) this.malMisses += 1;
  }

  #match(member: Member): FilterMatch | undefined {
    const { filter } = this.#options;
    const match = filter ? filter.match(member) : 'inside';
    // What is an entity of its own never was anywhere else.
    return match === 'leaving' && !this.hasEntities ? undefined : match;
  }

  // Of a filtered stream it is judged by what was told.
  #isNewest(member: Member, isSure: boolean, match: FilterMatch): boolean {
    const { entity, versionTime } = member;
    if (!this.hasEntities) return true;
    if (!isSure && !isNewestState(member, { versionTime: this.#versionTimes.get(entity) })) return false;
    this.#options.filter?.given(member, match);
    this.#left.delete(entity);
    if (member.kind === 'delete' || versionTime === undefined) this.#versionTimes.delete(entity);
    else this.#versionTimes.set(entity, versionTime);
    if (match === 'leaving' && member.kind === 'upsert') this.#remember(entity);
    return true;
  }

  // One that left may come again by a version from before it did.
  #remember(entity: string): void {
    this.#left.add(entity);
    const [first = ''] = this.#left;
    if (this.#left.size <= this.#options.limitLeft) return;
    this.#left.delete(first);
    this.#versionTimes.delete(first);
  }

  #countLeftOut(members: number): void {
    if (!this.#options.filter) this.leftOut += members;
  }

  #publishedMs({ time }: Member): number {
    return Date.parse(time) - this.#options.clockOffsetMs();
  }
}
