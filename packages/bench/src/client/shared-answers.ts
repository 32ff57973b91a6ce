import type { VirtualClock } from './virtual-clock.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const EVENTS = 'text/event-stream';
const SECOND_MS = 1000;

/**
 * The answers of a server for very many clients on a virtual clock: what several ask for in the same second, of the same
 * state of the log, is asked of the server once. Each request takes a time of its own on the way.
 */
export class SharedAnswers {
  /** When each document was asked for, epoch milliseconds. */
  readonly documentsMs: number[] = [];
  /** How often events were asked for; they are refused. */
  events = 0;
  readonly #time: VirtualClock;
  readonly #waysMs: () => number;
  readonly #head: () => number;
  readonly #answers = new Map<string, Promise<Answer>>();
  #underWay = 0;

  /**
   * @param edge.wayMs - how long a request and its answer are on the way, milliseconds
   * @param edge.head - number of the last member in the log
   */
  constructor(edge: { readonly time: VirtualClock; readonly wayMs: () => number; readonly head: () => number }) {
    this.#time = edge.time;
    this.#waysMs = edge.wayMs;
    this.#head = edge.head;
  }

  /** Whether the server is being asked. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** The fetch to give to clients. */
  readonly fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (headers.get('accept')?.includes(EVENTS)) {
      this.events += 1;
      return new Response('', { status: 503 });
    }
    this.documentsMs.push(this.#time.nowMs);
    const answer = await this.#answer(String(input), headers);
    const signal = init.signal ?? new AbortController().signal;
    const sentMs = this.#time.nowMs;
    await this.#time.sleep(this.#waysMs(), signal);
    const own = new Headers(answer.headers);
    // The server's own stands for a time that passes more slowly.
    own.set('date', new Date(sentMs).toUTCString());
    return new Response(answer.status === 304 ? null : answer.text, { status: answer.status, headers: own });
  };

  #answer(url: string, headers: Headers): Promise<Answer> {
    const second = Math.floor(this.#time.nowMs / SECOND_MS);
    const key = [url, headers.get('accept'), headers.get('if-none-match'), this.#head(), second].join(' ');
    const known = this.#answers.get(key);
    if (known) return known;
    const asked = this.#ask(url, headers);
    this.#answers.set(key, asked);
    return asked;
  }

  async #ask(url: string, headers: Headers): Promise<Answer> {
    this.#underWay += 1;
    try {
      const response = await fetch(url, { headers });
      const text = await response.text();
      const kept = new Headers(response.headers);
      // It has been unpacked.
      kept.delete('content-encoding');
      kept.delete('content-length');
      return { status: response.status, headers: kept, text };
    } finally {
      this.#underWay -= 1;
    }
  }
}
