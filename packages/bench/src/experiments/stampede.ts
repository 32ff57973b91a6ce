/*
 * How evenly the requests of very many polling clients come that begin at nearly the same time: a process of `client`.
 *
 *   { "clients": 5000, "malSeconds": 10, "intervalMs": 5000, ... }  order {} -> { "peakRequests": 140, "peakToMean": 1.3, ... }
 *
 * Time is virtual: so many clients would keep more than two cores busy, and requests that wait for a core say nothing of when
 * they were meant to be made. Clients, server, documents and header fields are the real ones.
 */
import { setMaxListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { createLiveClient, type Follower } from '@ldes-live/client';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import type { Lab } from '../experiment.ts';
import { spread } from '../figures.ts';
import { answerOrders, freePort, planOf } from '../processes.ts';
import { stampedState } from '../subjects/workloads.ts';
import { seededRandom } from '../timing.ts';
import type { ClientPlan } from './client.ts';

/** How evenly they came. */
export type StampedeReport = Awaited<ReturnType<typeof run>>;

const ENTITIES = 10;
const WINDOW_MS = 100;
/** What a request and its answer take on the way at least, and on average more than that. */
const [MIN_WAY_MS, MORE_WAY_MS] = [5, 20];

/** A clock whose time passes when it is told to, a millisecond after the other, and waits that end by it. */
class VirtualClock {
  nowMs = Date.now();
  #underWay = 0;
  readonly #due = new Map<number, (() => void)[]>();
  readonly clock = (): number => this.nowMs;

  /** Waits for a millisecond at least, as timers do. */
  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      const atMs = Math.ceil(this.nowMs + Math.max(1, ms));
      const due = this.#due.get(atMs) ?? [];
      this.#due.set(atMs, due);
      due.push(() => {
        signal.removeEventListener('abort', abort);
        resolve();
      });
    });

  /** Has time stand still while something is under way that takes real time. */
  async standStill<Done>(work: Promise<Done>): Promise<Done> {
    this.#underWay += 1;
    return work.finally(() => {
      this.#underWay -= 1;
    });
  }

  /** Lets time pass; whoever is woken has done all that it can do before time goes on. */
  async pass(durationMs: number): Promise<void> {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; ) {
      this.nowMs += 1;
      const due = this.#due.get(this.nowMs);
      if (!due) continue;
      this.#due.delete(this.nowMs);
      for (const wake of due) wake();
      do await turn();
      while (this.#underWay > 0);
    }
  }
}

const SECOND_MS = 1000;

/**
 * The answers of a server for all clients: what several ask for in the same second, of the same state of the log, is asked of
 * the server once. Each request takes a time of its own on the way.
 *
 * @param head - number of the last member in the log
 */
function shareAnswers(time: VirtualClock, wayMs: () => number, head: () => number) {
  const answers = new Map<string, Promise<readonly [Response, text: string]>>();
  const counts = { documentsMs: [] as number[], events: 0 };
  const ask = async (url: string, headers: Headers) => {
    headers.set('accept-encoding', 'identity');
    const response = await fetch(url, { headers });
    return [response, await response.text()] as const;
  };
  const fetchShared = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (headers.get('accept')?.includes('text/event-stream')) {
      counts.events += 1;
      return new Response('', { status: 503 });
    }
    counts.documentsMs.push(time.nowMs);
    const second = Math.floor(time.nowMs / SECOND_MS);
    const key = [input, headers.get('accept'), headers.get('if-none-match'), head(), second].join(' ');
    const asked = answers.get(key) ?? time.standStill(ask(String(input), headers));
    answers.set(key, asked);
    const [{ status, headers: fields }, text] = await asked;
    const sentMs = time.nowMs;
    await time.sleep(wayMs(), init.signal ?? new AbortController().signal);
    const own = new Headers(fields);
    // The server's own stands for a time that passes more slowly.
    own.set('date', new Date(sentMs).toUTCString());
    return new Response(status === 304 ? null : text, { status, headers: own });
  };
  return { fetch: fetchShared, counts };
}

/** The fullest window, wherever it begins, and what it is in parts of the average one; times ascend from 0. */
function peakOf(timesMs: readonly number[], durationMs: number) {
  let [peak, first] = [0, 0];
  timesMs.forEach((timeMs, index) => {
    while ((timesMs[first] as number) <= timeMs - WINDOW_MS) first += 1;
    peak = Math.max(peak, index - first + 1);
  });
  const mean = (timesMs.length * WINDOW_MS) / durationMs;
  return { peak, ratio: mean === 0 ? 0 : peak / mean };
}

const CHANCE_RUNS = 20;

/**
 * What the fullest window comes to of clients that ask at even distances, each from an instant of its own by chance, in the
 * median of some such runs. Independent clients cannot be spread more evenly.
 */
function chanceRatio(clients: number, requests: number, durationMs: number, random: () => number): number {
  const periodMs = (durationMs * clients) / requests;
  const ratios = Array.from({ length: CHANCE_RUNS }, () => {
    const times = Array.from({ length: clients }, () => random() * periodMs).flatMap((first) =>
      Array.from({ length: Math.ceil((durationMs - first) / periodMs) }, (_, index) => first + index * periodMs),
    );
    return peakOf(
      times.sort((left, right) => left - right),
      durationMs,
    ).ratio;
  });
  return spread(ratios).median;
}

async function run({ seed, ...size }: ClientPlan['stampede'] & Pick<Lab, 'seed'>) {
  const { clients, openingMs, malSeconds, intervalMs, breakEvenSeconds, warmUpMs, durationMs } = size;
  const [random, time, port] = [seededRandom(seed), new VirtualClock(), await freePort()];
  const { clock, sleep } = time;
  const publicUrl = `http://127.0.0.1:${port}/`;
  const description = describeStream({ publicUrl, name: 'parking' });
  const log = await createMemoryStore({ clock, random }).open(description);
  let nextMs = time.nowMs + intervalMs;
  const schedule = () => ({ kind: 'interval', intervalMs, nextMs }) as const;
  const streams = [{ description, log, schedule }];
  const server = await createLiveServer({ publicUrl, streams, breakEvenSeconds, clock });
  await server.listen({ host: '127.0.0.1', port });
  const { signal } = new AbortController();
  // Each client listens.
  setMaxListeners(0, signal);
  let updates = 0;
  const publish = async () => {
    const number = log.head.cursor.sequence;
    await log.append([stampedState(number % ENTITIES, number)]);
    updates += 1;
  };
  const publishOn = async () => {
    for (; ; await time.standStill(publish())) {
      await sleep(nextMs - time.nowMs, signal);
      nextMs += intervalMs;
    }
  };
  await publish();
  void publishOn();
  const wayMs = () => MIN_WAY_MS - MORE_WAY_MS * Math.log(1 - random());
  const { fetch: shared, counts } = shareAnswers(time, wayMs, () => log.head.cursor.sequence);
  const followers = Array.from({ length: clients }, () => {
    const client = createLiveClient({ mal: malSeconds, fetch: shared, clock, sleep, random });
    const follower = client.follow(description.url, { from: 'now', signal });
    void readAfter(sleep(random() * openingMs, signal), follower);
    return follower;
  });
  const allMisses = () => followers.reduce((sum, { status }) => sum + status.malMisses, 0);
  await time.pass(warmUpMs);
  const [missesBefore, beganMs] = [allMisses(), time.nowMs];
  updates = 0;
  await time.pass(durationMs);
  const times = counts.documentsMs.map((atMs) => atMs - beganMs).filter((ms) => ms >= 0 && ms < durationMs);
  const { peak, ratio } = peakOf(times, durationMs);
  return {
    requests: times.length,
    peakRequests: peak,
    peakToMean: ratio,
    chancePeakToMean: chanceRatio(clients, times.length, durationMs, seededRandom(seed)),
    requestsPerUpdate: times.length / (clients * updates),
    pushes: counts.events,
    misses: allMisses() - missesBefore,
  };
}

async function readAfter(begun: Promise<void>, follower: Follower): Promise<void> {
  await begun;
  for await (const _ of follower);
}

answerOrders({}, () => run(planOf()));
