/** What the requests of one client came to. */
export interface RequestTally {
  /** Requests for documents, a redirected one counted twice. */
  readonly documents: number;
  /** Requests for events. */
  readonly events: number;
  /** When the first and the last document was asked for, epoch milliseconds; absent when none was. */
  readonly firstMs?: number;
  readonly lastMs?: number;
  /** Documents that were asked for before the update that the last document predicted. */
  readonly early: number;
  /** By how much at most, milliseconds. */
  readonly earliestMs: number;
}

type Fetch = typeof fetch;

const NEXT_UPDATE = 'next-update';

/** Stands between a client and the network, and counts what goes by. */
export class RequestWatch {
  readonly #fetch: Fetch;
  readonly #clock: () => number;
  #predictedMs = Number.NEGATIVE_INFINITY;
  #tally: RequestTally = NO_REQUESTS;

  constructor(edge: { readonly fetch: Fetch; readonly clock: () => number }) {
    this.#fetch = edge.fetch;
    this.#clock = edge.clock;
  }

  get tally(): RequestTally {
    return this.#tally;
  }

  /** Forgets what it counted. */
  begin(): void {
    this.#tally = NO_REQUESTS;
  }

  /** The fetch to give to a client. */
  readonly fetch: Fetch = async (input, init) => {
    const isEvents = new Headers(init?.headers).get('accept')?.includes('text/event-stream') ?? false;
    if (isEvents) this.#tally = { ...this.#tally, events: this.#tally.events + 1 };
    else this.#asked(this.#clock());
    const response = await this.#fetch(input, init);
    if (isEvents) return response;
    if (response.redirected) this.#tally = { ...this.#tally, documents: this.#tally.documents + 1 };
    const nextMs = Date.parse(response.headers.get(NEXT_UPDATE) ?? '');
    this.#predictedMs = Number.isNaN(nextMs) ? Number.NEGATIVE_INFINITY : nextMs;
    return response;
  };

  #asked(nowMs: number): void {
    const tally = this.#tally;
    const earlyMs = Math.max(0, this.#predictedMs - nowMs);
    this.#tally = {
      ...tally,
      documents: tally.documents + 1,
      firstMs: tally.firstMs ?? nowMs,
      lastMs: nowMs,
      early: tally.early + (earlyMs > 0 ? 1 : 0),
      earliestMs: Math.max(tally.earliestMs, earlyMs),
    };
  }
}

const NO_REQUESTS: RequestTally = { documents: 0, events: 0, early: 0, earliestMs: 0 };
