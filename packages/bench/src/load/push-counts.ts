/*
 * What the readers of a process of a push load count together, and the sum of several processes.
 *
 *   arrived(stamp, now, reader) -> which reader had which update how often, first and last reader, delays -> report()
 *   { "stats": { "open": 5000, "events": 100000, ... }, "lost": 0, "delay": "HISTFAAAA...",
 *     "updates": [{ "stampMicros": 7000000, "firstMicros": 7008900, "lastMicros": 7146800, "events": 5000 }] }
 *
 * A delay counts from the instant that an update was due to the reader's last byte of it.
 */
import { Histogram } from '../histogram.ts';
import { type PublishSchedule, placeIn } from '../timing.ts';
import { type Effort, sumEfforts, sumStats } from './effort.ts';
import { noSequence, type SequenceStats } from './event-stream.ts';

const NOTHING = {
  /** Connections that are open and answered by 200. */
  open: 0,
  /** Times that a connection was answered by 200. */
  opened: 0,
  /** Times that the server ended a connection, or none came to be. */
  ended: 0,
  /** Answers with another status. */
  refused: 0,
  /** Events that are updates; with compression, of the readers that look at them. */
  events: 0,
  /** Of the events, those that their reader had, since a schedule is watched. */
  doubled: 0,
  /** Of the events, those that came to their reader for the first time after a newer one, since a schedule is watched. */
  disordered: 0,
  /** Of the events, those whose compressed bytes are not the ones that other readers had, since a schedule is watched. */
  unlike: 0,
  bytes: 0,
};

/** Plain numbers of what readers met, since they began. */
export type PushStats = typeof NOTHING;

/** How one update reached the readers; instants are those of the monotonic clock. */
export interface UpdateReport {
  readonly stampMicros: number;
  readonly firstMicros: number;
  readonly lastMicros: number;
  /** Events, those included that a reader had before. */
  readonly events: number;
}

/** What was found since the last report. JSON. */
export interface PushReport {
  readonly stats: PushStats;
  readonly sequence: SequenceStats;
  /** Of the schedule that is watched, since its beginning: updates that a reader has not had, added up over all readers. */
  readonly lost: number;
  /** Encoded. */
  readonly delay: string;
  readonly updates: readonly UpdateReport[];
  /** Readers, of those whose ids are followed, by the id of the last event. */
  readonly lastIds: Readonly<Record<string, number>>;
  readonly effort: Effort;
}

/** The most that is counted one by one in a process, bytes of memory. */
const MAX_COUNTED = 128 * 1024 * 1024;

export class PushCounts {
  readonly stats = { ...NOTHING };
  readonly sequence = noSequence();
  #delay = new Histogram();
  #updates = new Map<number, { stampMicros: number; firstMicros: number; lastMicros: number; events: number }>();
  #schedule: PublishSchedule = { startMicros: 0, intervalMicros: 1, count: 0 };
  /** For each reader, whether it had each of the updates. */
  #had = new Uint8Array();
  /** For each reader, the newest of the updates that it had. */
  #newest = new Uint32Array();

  /**
   * Counts from now on how often each reader gets each of these updates.
   *
   * @param readers - all of which are to get every update
   * @throws Error - that is more than can be counted one by one
   */
  watch(readers: number, schedule: PublishSchedule): void {
    if (readers * schedule.count > MAX_COUNTED) throw new Error(`${readers} readers of ${schedule.count} updates`);
    this.#schedule = schedule;
    this.#had = new Uint8Array(readers * schedule.count);
    this.#newest = new Uint32Array(readers);
    Object.assign(this.stats, { doubled: 0, disordered: 0 });
  }

  /** How many different updates have come, to any reader, since the last report. */
  get updates(): number {
    return this.#updates.size;
  }

  /** Notes that a reader of this process, by its number from 0, has read an update whole. */
  arrived(stampMicros: number, nowMicros: number, reader: number): void {
    this.stats.events += 1;
    const place = placeIn(this.#schedule, stampMicros);
    if (place !== undefined) this.#check(reader, place);
    this.#delay.note(nowMicros - stampMicros);
    const update = this.#updates.get(stampMicros);
    if (update === undefined) {
      this.#updates.set(stampMicros, { stampMicros, firstMicros: nowMicros, lastMicros: nowMicros, events: 1 });
      return;
    }
    update.lastMicros = nowMicros;
    update.events += 1;
  }

  #check(reader: number, place: number): void {
    const at = reader * this.#schedule.count + place;
    const newest = this.#newest[reader] as number;
    if (this.#had[at]) this.stats.doubled += 1;
    else if (place < newest) this.stats.disordered += 1;
    this.#had[at] = 1;
    this.#newest[reader] = Math.max(newest, place);
  }

  /** What was noted since the last time. */
  take(): Omit<PushReport, 'lastIds' | 'effort'> {
    const report = {
      stats: { ...this.stats },
      sequence: { ...this.sequence },
      lost: this.#had.reduce((lost, had) => lost - had, this.#had.length),
      delay: this.#delay.encode(),
      updates: [...this.#updates.values()],
    };
    Object.assign(this.sequence, noSequence());
    this.#delay = new Histogram();
    this.#updates = new Map();
    return report;
  }
}

/** Counts what of a schedule came, by the instants that updates carry: each is for one reader. */
export function singleDeliveries(
  updates: readonly Pick<UpdateReport, 'stampMicros' | 'events'>[],
  schedule: PublishSchedule,
) {
  const ours = updates.filter(({ stampMicros }) => placeIn(schedule, stampMicros) !== undefined);
  const eventsOf = (some: typeof updates) => some.reduce((sum, { events }) => sum + events, 0);
  return {
    arrived: ours.length,
    lost: schedule.count - ours.length,
    doubled: eventsOf(ours) - ours.length,
    /** Times that something came that is none of these updates. */
    strays: eventsOf(updates) - eventsOf(ours),
  };
}

/** What several processes found, as if they were one; at least one. */
export function sumPushReports(reports: readonly PushReport[]): PushReport {
  const updates = new Map<number, UpdateReport>();
  for (const update of reports.flatMap((report) => report.updates)) {
    updates.set(update.stampMicros, sumUpdates(updates.get(update.stampMicros), update));
  }
  return {
    stats: sumStats(reports.map(({ stats }) => stats)),
    sequence: sumStats(reports.map(({ sequence }) => sequence)),
    lost: reports.reduce((sum, { lost }) => sum + lost, 0),
    delay: new Histogram(...reports.map(({ delay }) => delay)).encode(),
    updates: [...updates.values()].sort((left, right) => left.stampMicros - right.stampMicros),
    lastIds: sumStats(reports.map(({ lastIds }) => lastIds)),
    effort: sumEfforts(reports.map(({ effort }) => effort)),
  };
}

function sumUpdates(known: UpdateReport | undefined, other: UpdateReport): UpdateReport {
  if (known === undefined) return other;
  return {
    stampMicros: known.stampMicros,
    firstMicros: Math.min(known.firstMicros, other.firstMicros),
    lastMicros: Math.max(known.lastMicros, other.lastMicros),
    events: known.events + other.events,
  };
}
