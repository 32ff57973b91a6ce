import type { ScaledTime } from '../../support/scaled-time.ts';
import type { Fault } from './fault.ts';

/** What befalls the exchanges of one stream, one entry for each. */
export interface FaultPlan {
  /** Of documents, in the order in which they are asked for; none befall those after the last. */
  readonly documents: readonly (readonly Fault[])[];
  /** Of push connections. */
  readonly events: readonly (readonly Fault[])[];
}

/** An exchange that went through a proxy. */
export interface FaultyExchange {
  readonly path: string;
  /** When the request came, epoch milliseconds. */
  readonly atMs: number;
  /** What was planned to befall it. */
  readonly faults: readonly Fault[];
  /** What was answered; `undefined` while, or where, nothing was. */
  status?: number;
}

/** An answer that a cache has kept. */
export interface KeptAnswer {
  readonly headers: readonly string[];
  readonly etag: string | undefined;
  readonly body: Buffer;
}

// Older ones are let go.
const KEPT_ANSWERS = 6;

/** The way of one stream through a proxy: what befalls its exchanges until it is mended, and what they were. */
export class FaultChannel {
  readonly exchanges: FaultyExchange[] = [];
  /** Whether all events are held back, on connections that are open as well, until it is mended. */
  isHolding = false;
  readonly #time: ScaledTime;
  readonly #mended = new AbortController();
  readonly #kept = new Map<string, KeptAnswer[]>();
  #plan: { readonly documents: (readonly Fault[])[]; readonly events: (readonly Fault[])[] };

  constructor(plan: FaultPlan, time: ScaledTime) {
    this.#plan = { documents: [...plan.documents], events: [...plan.events] };
    this.#time = time;
    this.#mended.signal.addEventListener('abort', () => {
      this.#plan = { documents: [], events: [] };
      this.isHolding = false;
    });
  }

  /** Aborted when nothing befalls anything any more. */
  get mended(): AbortSignal {
    return this.#mended.signal;
  }

  /** Ends all faults: what is held back passes. */
  mend(): void {
    this.#mended.abort();
  }

  /** Begins an exchange. */
  begin(path: string, isEvents: boolean): FaultyExchange {
    const faults = (isEvents ? this.#plan.events : this.#plan.documents).shift() ?? [];
    const exchange = { path, atMs: this.#time.clock(), faults };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Waits, but no longer than there are faults. */
  async wait(ms: number): Promise<void> {
    await this.#time.sleep(ms, this.mended).catch(() => {});
  }

  /** Keeps an answer, as a cache does. */
  keep(path: string, answer: KeptAnswer): void {
    this.#kept.set(path, [...(this.#kept.get(path) ?? []), answer].slice(-KEPT_ANSWERS));
  }

  /** An earlier answer, the oldest but so many. */
  kept(path: string, back: number): KeptAnswer | undefined {
    const answers = this.#kept.get(path) ?? [];
    return answers[Math.min(back, answers.length - 1)];
  }
}
