/*
 * What clients of `client` are watched by, and how they are judged: when updates come, what is delivered to a client and
 * asked by it, and what of that was later than its MAL.
 *
 *   published { timeMs: 2000, last: 10 } -> delivery { sequence: 10, publishedMs: 2000, nowMs: 2180 }, MAL 0.2 s: kept
 *   { "delivered": 300, "misses": 2, "overdue": 0, "unstated": 0, "lost": 0, "requestsPerUpdate": 1.01 }
 */
import { Histogram } from '../histogram.ts';

/** When the updates of a stream come, and what its server says of that. */
export interface UpdatePattern {
  readonly name: string;
  /**
   * `regular`: at the instants that are stated. `late`: as that, but a fifth of the updates come up to 0.6 of an interval
   * late. `missing`: as regular, but a fifth do not come. `irregular`: at random, and nothing is stated.
   */
  readonly kind: 'regular' | 'late' | 'missing' | 'irregular';
  /** The distance of stated instants; of irregular updates the mean distance, about. */
  readonly intervalMs: number;
}

/** What comes next in a stream; epoch milliseconds. */
export interface Slot {
  /** What the server states until then; nothing of an irregular stream. */
  readonly statedMs?: number;
  readonly atMs: number;
  /** Whether an update is published then; else it is passed over. */
  readonly isPublished: boolean;
}

const TROUBLE_SHARE = 0.2;
const MAX_DELAY_SHARE = 0.6;
const [MIN_IRREGULAR_SHARE, MAX_IRREGULAR_SHARE] = [0.1, 3];

/**
 * The slot after one.
 *
 * @param last - for the first, one that stands for when the stream began
 */
export function nextSlot({ kind, intervalMs }: UpdatePattern, last: Slot, random: () => number): Slot {
  if (kind === 'irregular') {
    const share = Math.min(MAX_IRREGULAR_SHARE, Math.max(MIN_IRREGULAR_SHARE, -Math.log(1 - random())));
    return { atMs: last.atMs + share * intervalMs, isPublished: true };
  }
  const statedMs = (last.statedMs ?? last.atMs) + intervalMs;
  const isTrouble = kind !== 'regular' && random() < TROUBLE_SHARE;
  const delayMs = kind === 'late' && isTrouble ? random() * MAX_DELAY_SHARE * intervalMs : 0;
  return { statedMs, atMs: statedMs + delayMs, isPublished: kind !== 'missing' || !isTrouble };
}

const NOTHING = {
  delivered: 0,
  misses: 0,
  lost: 0,
  doubled: 0,
  gaps: 0,
  documents: 0,
  events: 0,
  firstMs: 0,
  lastMs: 0,
};

/** Counts what reaches a client and what it asks for, and checks that all of it comes, in order. */
export class ClientWatch {
  readonly #malMs: number;
  #sinceMs = Number.POSITIVE_INFINITY;
  #delay = new Histogram();
  #counts = { ...NOTHING };
  #lastSequence = 0;

  constructor(malMs: number) {
    this.#malMs = malMs;
  }

  /** Counts from an instant on: what was published before it is not counted. Epoch milliseconds, as all of these. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#delay = new Histogram();
    this.#counts = { ...NOTHING };
  }

  /** A member was delivered. */
  note(sequence: number, publishedMs: number, nowMs: number): void {
    const [last, counts] = [this.#lastSequence, this.#counts];
    if (last > 0 && sequence > last + 1) counts.lost += sequence - last - 1;
    if (sequence <= last) counts.doubled += 1;
    this.#lastSequence = Math.max(last, sequence);
    if (publishedMs <= this.#sinceMs) return;
    const lagMs = nowMs - publishedMs;
    counts.delivered += 1;
    if (lagMs > this.#malMs) counts.misses += 1;
    this.#delay.note(lagMs * 1000);
  }

  /** What follows a gap begins anew. */
  gap(): void {
    this.#counts.gaps += 1;
    this.#lastSequence = 0;
  }

  /** The fetch to give to the client. */
  readonly fetch: typeof fetch = async (input, init) => {
    const counts = this.#counts;
    if (new Headers(init?.headers).get('accept')?.includes('text/event-stream')) {
      counts.events += 1;
      return fetch(input, init);
    }
    counts.lastMs = Date.now();
    if (counts.documents === 0) counts.firstMs = counts.lastMs;
    counts.documents += 1;
    const response = await fetch(input, init);
    // One that is redirected counts twice.
    if (response.redirected) counts.documents += 1;
    return response;
  };

  /**
   * All of it: members that were delivered and those of them later than the MAL, members that did not come though later ones
   * did, those that came though they were past; requests for documents with the first and the last instant, and for events.
   */
  report() {
    return { ...this.#counts, delay: this.#delay.encode(), lastSequence: this.#lastSequence };
  }
}

/** How one client fared. */
export interface ClientReport extends ReturnType<ClientWatch['report']> {
  readonly malSeconds: number;
  readonly mode: 'pull' | 'push';
  /** Misses that its status states. */
  readonly stated: number;
  /** What its status says about how late the next update may be; 2 ** 53 - 1 for never. */
  readonly lagBoundMs: number;
}

/** One commit: when it was published, epoch milliseconds, and up to which sequence the log reaches with it. */
export interface PublishedCommit {
  readonly timeMs: number;
  readonly last: number;
}

/** What was published of a stream, and from when to when clients counted, epoch milliseconds. */
export interface Published {
  readonly commits: readonly PublishedCommit[];
  readonly intervalMs: number;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Judges the clients of one stream by what was published. Requests for an update are there where a client polled. */
export function judgeClients(clients: readonly ClientReport[], published: Published) {
  const sum = (figure: (client: ClientReport) => number) => clients.reduce((total, one) => total + figure(one), 0);
  const polling = clients.filter(({ mode, events }) => mode === 'pull' && events === 0);
  // Others may read several updates at once.
  const prompt = polling.filter(({ malSeconds }) => malSeconds * 1000 <= published.intervalMs);
  const overdue = sum((client) => overdueOf(client, published));
  const counts = {
    clients: clients.length,
    polling: polling.length,
    delivered: sum(({ delivered }) => delivered),
    /** Members that came later than the MAL or, overdue, did not come until it had passed. */
    misses: sum(({ misses }) => misses) + overdue,
    overdue,
    /** Misses that clients do not state; what is not there yet cannot have been counted: the bound has to state it. */
    unstated: sum((client) => {
      const isStated = client.lagBoundMs > client.malSeconds * 1000;
      return Math.max(0, client.misses - client.stated) + (isStated ? 0 : overdueOf(client, published));
    }),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    gaps: sum(({ gaps }) => gaps),
  };
  return { counts, requestsPerUpdate: requestsPerUpdate(prompt, published.commits) };
}

/** How many members should have come to a client by the end, and did not. */
function overdueOf({ malSeconds, lastSequence }: ClientReport, { commits, beganMs, endedMs }: Published): number {
  let [before, overdue] = [0, 0];
  for (const { timeMs, last } of commits) {
    const isDue = timeMs > beganMs && timeMs + malSeconds * 1000 < endedMs;
    if (isDue) overdue += Math.max(0, last - Math.max(before, lastSequence));
    before = last;
  }
  return overdue;
}

/** Requests after the first of each client, for each update published from then to its last one. */
function requestsPerUpdate(clients: readonly ClientReport[], commits: readonly PublishedCommit[]): number | undefined {
  let [requests, updates] = [0, 0];
  for (const { documents, firstMs, lastMs } of clients) {
    requests += Math.max(0, documents - 1);
    updates += commits.filter(({ timeMs }) => timeMs > firstMs && timeMs <= lastMs).length;
  }
  return updates === 0 ? undefined : requests / updates;
}
