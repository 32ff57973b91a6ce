/*
 * What clients of `client` are watched by, and how they are judged: when updates come, what is delivered to a client and
 * asked by it, and what of that was later than its MAL.
 *
 *   published { timeMs: 2000, last: 10 } -> delivery { sequence: 10, publishedMs: 2000, nowMs: 2180 }, MAL 0.2 s: kept
 *   { "delivered": 300, "misses": 2, "untold": 0, "requestsPerUpdate": 1.01, "p99Ms": 480 }
 */
import { Histogram } from '../histogram.ts';

/** When the updates of a stream come, and what its server says of that. */
export interface StreamRhythm {
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
export function nextSlot({ kind, intervalMs }: StreamRhythm, last: Slot, random: () => number): Slot {
  if (kind === 'irregular') {
    const share = Math.min(MAX_IRREGULAR_SHARE, Math.max(MIN_IRREGULAR_SHARE, -Math.log(1 - random())));
    return { atMs: last.atMs + share * intervalMs, isPublished: true };
  }
  const statedMs = (last.statedMs ?? last.atMs) + intervalMs;
  const isTrouble = kind !== 'regular' && random() < TROUBLE_SHARE;
  const delayMs = kind === 'late' && isTrouble ? random() * MAX_DELAY_SHARE * intervalMs : 0;
  return { statedMs, atMs: statedMs + delayMs, isPublished: kind !== 'missing' || !isTrouble };
}

/** What reached one client in a time. */
export interface DeliveryTally {
  /** Members published in that time that were delivered, and those of them that came later than the MAL. */
  readonly delivered: number;
  readonly misses: number;
  /** From publication to delivery. */
  readonly delay: string;
  /** Members that did not come though later ones did, and that came though they were past. */
  readonly lost: number;
  readonly doubled: number;
  readonly gaps: number;
  /** Sequence of the last member that was delivered; 0 before the first. */
  readonly lastSequence: number;
}

/** One change as its client got it; epoch milliseconds of one clock. */
interface Delivery {
  readonly sequence: number;
  readonly publishedMs: number;
  readonly nowMs: number;
}

const NO_DELIVERIES = { delivered: 0, misses: 0, lost: 0, doubled: 0, gaps: 0 };

/** Counts what reaches a client, and checks that it is all of it, in order. */
export class DeliveryWatch {
  readonly #malMs: number;
  #sinceMs = Number.POSITIVE_INFINITY;
  #delay = new Histogram();
  #counts = { ...NO_DELIVERIES };
  #lastSequence = 0;

  constructor(malMs: number) {
    this.#malMs = malMs;
  }

  /** Counts from an instant on: what was published before it is not counted. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#delay = new Histogram();
    this.#counts = { ...NO_DELIVERIES };
  }

  note({ sequence, publishedMs, nowMs }: Delivery): void {
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

  get tally(): DeliveryTally {
    return { ...this.#counts, delay: this.#delay.encode(), lastSequence: this.#lastSequence };
  }
}

/** What the requests of one client came to. */
export interface RequestTally {
  /** Requests for documents, a redirected one counted twice; and for events. */
  readonly documents: number;
  readonly events: number;
  /** When the first and the last document was asked for, epoch milliseconds; absent when none was. */
  readonly firstMs?: number;
  readonly lastMs?: number;
}

const NO_REQUESTS: RequestTally = { documents: 0, events: 0 };

/** Stands between a client and the network, and counts what goes by. */
export class RequestWatch {
  #tally = NO_REQUESTS;

  get tally(): RequestTally {
    return this.#tally;
  }

  /** Forgets what it counted. */
  begin(): void {
    this.#tally = NO_REQUESTS;
  }

  /** The fetch to give to a client. */
  readonly fetch: typeof fetch = async (input, init) => {
    if (new Headers(init?.headers).get('accept')?.includes('text/event-stream')) {
      this.#tally = { ...this.#tally, events: this.#tally.events + 1 };
      return fetch(input, init);
    }
    const lastMs = Date.now();
    const { documents, firstMs = lastMs } = this.#tally;
    this.#tally = { ...this.#tally, documents: documents + 1, firstMs, lastMs };
    const response = await fetch(input, init);
    if (response.redirected) this.#tally = { ...this.#tally, documents: this.#tally.documents + 1 };
    return response;
  };
}

/** How one client fared. */
export interface ClientReport extends DeliveryTally, RequestTally {
  readonly stream: string;
  readonly malSeconds: number;
  readonly mode: 'pull' | 'push';
  /** Misses that its status states. */
  readonly stated: number;
  /** What its status says about how late the next update may be; 2 ** 53 - 1 for never. */
  readonly lagBoundMs: number;
  /** What its following ended with; absent while it goes on. */
  readonly problem?: string;
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

/** Judges the clients of one stream by what was published. */
export function judgeClients(clients: readonly ClientReport[], published: Published) {
  const sum = (figure: (client: ClientReport) => number) => clients.reduce((total, one) => total + figure(one), 0);
  const polling = clients.filter(({ mode, events }) => mode === 'pull' && events === 0);
  const prompt = polling.filter(({ malSeconds }) => malSeconds * 1000 <= published.intervalMs);
  const judged = clients.map((client) => missesOf(client, published));
  const total = (key: 'misses' | 'overdue' | 'unstated') => judged.reduce((all, one) => all + one[key], 0);
  const delivered = sum((client) => client.delivered);
  const promptRequests = requestsPerUpdate(prompt, published.commits);
  return {
    clients: clients.length,
    polling: polling.length,
    updates: published.commits.length,
    delivered,
    /** Members that came later than the MAL or did not come until it had passed, and those that clients do not state. */
    misses: total('misses'),
    unstated: total('unstated'),
    missShare: total('misses') / Math.max(1, delivered + total('overdue')),
    /** Of polling clients whose MAL is at most the interval: others may read several updates at once. */
    ...(promptRequests !== undefined && { requestsPerUpdate: promptRequests }),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    gaps: sum(({ gaps }) => gaps),
  };
}

/** Misses of one client: late members, and those that should have come by the end and did not. */
function missesOf(client: ClientReport, { commits, beganMs, endedMs }: Published) {
  const malMs = client.malSeconds * 1000;
  let [before, overdue] = [0, 0];
  for (const { timeMs, last } of commits) {
    const first = Math.max(before, client.lastSequence);
    // How many members the first commit has is not known.
    if (before > 0 && timeMs > beganMs && timeMs + malMs < endedMs) overdue += Math.max(0, last - first);
    before = last;
  }
  const lateUnstated = Math.max(0, client.misses - client.stated);
  // What is not there yet cannot have been counted: the bound has to state it.
  const overdueUnstated = client.lagBoundMs > malMs ? 0 : overdue;
  return { misses: client.misses + overdue, overdue, unstated: lateUnstated + overdueUnstated };
}

/** Requests after the first of each client, for each update published from then to its last one. */
function requestsPerUpdate(clients: readonly ClientReport[], commits: readonly PublishedCommit[]): number | undefined {
  let [requests, updates] = [0, 0];
  for (const { documents, firstMs = 0, lastMs = 0 } of clients) {
    requests += Math.max(0, documents - 1);
    updates += commits.filter(({ timeMs }) => timeMs > firstMs && timeMs <= lastMs).length;
  }
  return updates === 0 ? undefined : requests / updates;
}
