import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './ask.ts';

/** What {@link measureVisibility} measures. */
export interface VisibilityRun {
  /** The same document on each of the ways, by name. */
  readonly urls: ReadonlyMap<string, string>;
  /** Publishes an update when the time stated before has come and, with it, says when the next one comes. */
  readonly publish: () => Promise<void>;
  readonly updates: number;
  /** Clients on each way. */
  readonly pollers: number;
  /** The phases of the clients are spread evenly over this long after the stated instant, milliseconds. */
  readonly spreadMs: number;
}

/** After how long a client asks again that came before the update, milliseconds. */
const RETRY_MS = 50;

/**
 * How late updates are seen by clients that follow `Next-Update`: from the instant stated to the answer that has
 * the update, milliseconds; ascending, by way.
 *
 * Each client asks once at the stated instant and its phase, and again every {@link RETRY_MS} until the cursor is
 * a new one. All ways carry the same updates at the same time.
 */
export async function measureVisibility(run: VisibilityRun): Promise<Map<string, number[]>> {
  const { urls, publish, updates, pollers, spreadMs } = run;
  await publish();
  const measured = [...urls].map(async ([name, url]) => {
    const agent = new Agent({ keepAlive: true });
    const clients = Array.from({ length: pollers }, (_, index) =>
      follow(url, agent, (index / pollers) * spreadMs, updates),
    );
    const all = (await Promise.all(clients)).flat().sort((one, other) => one - other);
    agent.destroy();
    return [name, all] as const;
  });
  let areFollowing = true;
  const lags = Promise.all(measured).finally(() => {
    areFollowing = false;
  });
  // A client that stood still over two updates has seen them as one, and needs another for its count.
  while (areFollowing) await publish();
  return new Map(await lags);
}

async function follow(url: string, agent: Agent, phaseMs: number, updates: number): Promise<number[]> {
  const lagsMs: number[] = [];
  let { cursor, nextMs } = await readUntil(url, agent, (answer) => answer.nextMs > Date.now());
  while (lagsMs.length < updates) {
    await delay(nextMs + phaseMs - Date.now());
    const answer = await readUntil(url, agent, (read) => read.cursor !== cursor);
    lagsMs.push(answer.atMs - nextMs);
    if (lagsMs.length === updates) break;
    ({ cursor, nextMs } = await readUntil(url, agent, (read) => read.nextMs > nextMs, answer));
  }
  return lagsMs;
}

type Read = Awaited<ReturnType<typeof read>>;

async function readUntil(url: string, agent: Agent, isDone: (answer: Read) => boolean, last?: Read): Promise<Read> {
  let answer = last ?? (await read(url, agent));
  while (!isDone(answer)) {
    await delay(RETRY_MS);
    answer = await read(url, agent);
  }
  return answer;
}

async function read(url: string, agent: Agent) {
  const { headers, atMs } = await ask(url, { agent });
  return { cursor: headers['ldes-cursor'], nextMs: Date.parse(String(headers['next-update'])), atMs };
}

/** The value below which a share of ascending values lies. */
export function quantileOf(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] as number;
}
