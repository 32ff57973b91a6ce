import { setImmediate } from 'node:timers/promises';

/** How pages answered a reader that knows nothing of retention but follows links, and goes back to old ones. */
export interface Crawler {
  /** Requests so far, by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** URLs that answered what they never may, with the status. */
  readonly faults: readonly string[];
  /** Pages that answered without members, though they once had some. */
  readonly emptied: ReadonlySet<string>;
  /** Rounds from the root to the pages so far. */
  readonly rounds: number;
  close(): Promise<void>;
}

/**
 * Reads the documents of a stream again and again: from the root to every page that it has not read as sealed yet, and
 * one of those that it has read before, linked still or not.
 */
export function startCrawler(root: string, random: () => number): Crawler {
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const emptied = new Set<string>();
  const sealed = new Set<string>();
  const known: string[] = [];
  let rounds = 0;
  let isClosed = false;

  const read = async (url: string, isLinked: boolean): Promise<string> => {
    const response = await fetch(url, { headers: { accept: 'application/n-quads' } });
    const text = await response.text();
    const { status } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 200 && (isLinked || status !== 410)) faults.push(`${status} ${url}`);
    if (/\bimmutable\b/.test(response.headers.get('cache-control') ?? '')) sealed.add(url);
    else if (status === 200 && sealed.has(url) && !text.includes('tree#member')) emptied.add(url);
    return text;
  };

  const visit = async (url: string): Promise<void> => {
    const text = await read(url, true);
    for (const [, next] of text.matchAll(/<https:\/\/w3id\.org\/tree#node> <([^>]+)>/g)) {
      if (isClosed || sealed.has(next as string)) continue;
      await visit(next as string);
      if (sealed.has(next as string)) known.push(next as string);
    }
  };

  const run = async () => {
    while (!isClosed) {
      await visit(root);
      await read(`${root}/latest`, true);
      const old = known[Math.floor(random() * known.length)];
      if (old) await read(old, false);
      rounds += 1;
      await setImmediate();
    }
  };
  const running = run();
  return {
    statuses,
    faults,
    emptied,
    get rounds() {
      return rounds;
    },
    close: async () => {
      isClosed = true;
      await running;
    },
  };
}
