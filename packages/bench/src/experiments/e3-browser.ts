/*
 * The pages of `e3` in Chromium: one connection each, since a browser opens no more than six to an origin over HTTP/1.1.
 *
 *   e3-page.html and e3-page.js by a server of their own; rows by the server process of e3-rows.ts
 *   rows -> isPast(rows) -> look(rows) -> { "doubled": 0, "draws": 7, "maxGapMs": 216, "batches": [[987654321, 4100, 250]] }
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.ts';
import { LOAD_CORE, listen } from '../processes.ts';
import { openChromium } from '../programs/chromium.ts';
import { monotonicMicros } from '../timing.ts';
import type { RowCounts, RowsOrder } from './e3-rows.ts';

/** Chromium, and where its page is. */
export type Browser = Awaited<ReturnType<typeof startBrowser>>;

export async function startBrowser() {
  // What starts first is what may fail to.
  const chromium = await openChromium('about:blank', LOAD_CORE);
  const pages = new URL('../../src/experiments/', import.meta.url);
  const client = new URL('.', import.meta.resolve('@ldes-live/client/browser'));
  const server = createServer(async ({ url = '' }, response) => {
    const [, folder, name = '', ending] = /^\/(client\/)?([\w.-]+\.(html|js))(?:\?|$)/.exec(url) ?? [];
    const content = await readFile(new URL(name, folder ? client : pages)).catch(() => undefined);
    const type = ending === 'html' ? 'text/html' : 'text/javascript';
    response.writeHead(content ? 200 : 404, { 'content-type': type }).end(content);
  });
  const url = `http://127.0.0.1:${await listen(server)}/e3-page.html`;
  const close = async () => {
    await chromium.close();
    server.close();
  };
  return { chromium, url, close };
}

/** What a page counted. */
interface Look {
  readonly doubled: number;
  readonly draws: number;
  readonly maxGapMs: number;
  /** Of each batch when it was parsed, how long after it was due, and its new rows. */
  readonly batches: readonly (readonly [micros: number, delayMicros: number, rows: number])[];
}

const [MAX_OPEN_MS, LOOK_MS] = [10_000, 50];

/** A page that reads rows of a transport, by the orders that a process follows. */
export function pageReader({ chromium, url }: Browser, page: string, transport: string) {
  const problemsBefore = chromium.problems.length;
  const untilHolds = async (endMicros: number, expression: string) => {
    while (!(await chromium.evaluate<boolean>(expression)) && monotonicMicros() < endMicros) await sleep(LOOK_MS);
  };
  const open = async (source: string) => {
    // Stamps are of a clock that pages do not have.
    const offset = String(Date.now() * 1000 - monotonicMicros());
    const query = new URLSearchParams({ page, transport, url: source, offset });
    await chromium.command('Page.navigate', { url: `${url}?${query}` });
    await untilHolds(monotonicMicros() + MAX_OPEN_MS * 1000, 'globalThis.isOpen?.() === true');
  };
  const finish = async (published: number, endMicros: number): Promise<RowCounts> => {
    await untilHolds(endMicros, `isPast(${published})`);
    const { doubled, draws, maxGapMs, batches } = await chromium.evaluate<Look>(`look(${published})`);
    const delay = new Histogram();
    for (const [, delayMicros] of batches) delay.note(delayMicros);
    // What is parsed after the end is not there; its delay counts all the same.
    const inTime = batches.filter(([micros]) => micros <= endMicros);
    const rows = inTime.reduce((sum, [, , count]) => sum + count, 0);
    const lastMicros = inTime.at(-1)?.[0] ?? 0;
    return { rows, doubled, bytes: 0, delay: delay.encode(), lastMicros, drawn: { draws, maxGapMs } };
  };
  const close = async () => {
    await chromium.command('Page.navigate', { url: 'about:blank' });
    const problem = chromium.problems[problemsBefore];
    if (problem !== undefined) throw new Error(`The page reported ${problem}`);
  };
  return {
    pid: chromium.pid,
    ask: async <Answer>(asked: object) => {
      const order = asked as RowsOrder;
      if (order.order === 'open') await open(order.url);
      if (order.order === 'finish') return (await finish(order.rows, order.endMicros)) as Answer;
      if (order.order === 'close') await close();
      return undefined as Answer;
    },
  };
}
