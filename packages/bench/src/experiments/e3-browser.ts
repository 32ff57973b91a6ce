/*
 * The pages of `e3` in Chromium: one connection each, since a browser opens no more than six to an origin over HTTP/1.1.
 *
 *   e3-page.html and e3-page.js by a server of their own; rows by the server process of e3-rows.ts
 *   warm-up -> count() -> rows -> look() -> { "rowsPerSecond": 5000, "draws": 7, "maxGapMs": 216, "browserShare": 0.21, ... }
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab, Measured, Missing } from '../experiment.ts';
import { Histogram } from '../histogram.ts';
import { watchCpu } from '../machine.ts';
import { isInstalled, LOAD_CORE, SERVER_CORE, startChild } from '../processes.ts';
import { type ChromiumPage, openChromium } from '../programs/chromium.ts';
import type { CellPlan } from '../result.ts';
import { monotonicMicros } from '../timing.ts';
import type { Published, RowSchedule, RowsRole, RowTarget, ServerOrder, Transport } from './e3-rows.ts';

export interface BrowserPlan {
  readonly batches: readonly number[];
  readonly intervalMs: number;
  /** Rows of each page before anything counts, so that it is loaded, drawn and compiled. */
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** Shows rows of a transport in a page. */
export async function measurePage(
  { at }: CellPlan,
  transport: Transport,
  plan: BrowserPlan,
  lab: Lab,
): Promise<Measured | Missing> {
  if (!isInstalled('chromium')) return { missing: 'Chromium' };
  const what = { page: String(at.page), batch: Number(at.batch), transport };
  const browser = await lab.shared('browser', async () => {
    const started = await startBrowser();
    // The first page of a browser starts what later ones find running.
    await showPage(started, { ...what, transport: 'websocket' }, plan, lab);
    return started;
  });
  return showPage(browser, what, plan, lab);
}

/** Chromium, and where its page is. */
interface Browser {
  readonly chromium: ChromiumPage;
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

async function startBrowser(): Promise<Browser> {
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
  server.listen(0, HOST);
  await once(server, 'listening');
  return {
    chromium,
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/e3-page.html`,
    close: async () => {
      await chromium.close();
      server.close();
    },
  };
}

/** What a page counted. */
interface Look {
  readonly rows: number;
  readonly lost: number;
  readonly behind: number;
  readonly doubled: number;
  readonly draws: number;
  readonly maxGapMs: number;
  readonly delaysMicros: readonly number[];
}

/** Rows are there in time that are parsed so long after the instant of the last batch: those after it are behind. */
const MAX_LATE_MICROS = 100_000;
const AHEAD_MICROS = 20_000;
const [MAX_OPEN_MS, MAX_DRAIN_MS, LOOK_MS] = [10_000, 1500, 50];

interface Shown {
  readonly page: string;
  readonly batch: number;
  readonly transport: Transport;
}

async function showPage(
  { chromium, url }: Browser,
  { page, batch, transport }: Shown,
  { intervalMs, warmUpMs, durationMs }: BrowserPlan,
  { seed, shared }: Lab,
): Promise<Measured> {
  const role: RowsRole = { role: 'server', transport };
  const server = await shared(`rows by ${transport}`, () =>
    startChild<object>(new URL('./e3-rows.js', import.meta.url), role, SERVER_CORE),
  );
  const order = <Answer>(asked: ServerOrder) => server.ask<Answer>(asked);
  const { port, path } = await order<RowTarget>({ order: 'start' });
  const query = new URLSearchParams({
    page,
    transport,
    url: `${transport === 'websocket' ? 'ws' : 'http'}://${HOST}:${port}${path}`,
    // Stamps are of a clock that pages do not have.
    offset: String(Date.now() * 1000 - monotonicMicros()),
  });
  const problemsBefore = chromium.problems.length;
  await chromium.command('Page.navigate', { url: `${url}?${query}` });
  await untilHolds(MAX_OPEN_MS, () => chromium.evaluate('globalThis.isOpen?.() === true'));
  const intervalMicros = intervalMs * 1000;
  const publish = (startMicros: number, firstRow: number, count: number) => {
    const rows: RowSchedule = { schedule: { startMicros, intervalMicros, count }, firstRow, batch, seed };
    return order<Published>({ order: 'publish', ...rows });
  };
  const isPast = (rows: number) => chromium.evaluate<boolean>(`isPast(${rows})`);
  const warmUp = await publish(monotonicMicros() + AHEAD_MICROS, 0, Math.round(warmUpMs / intervalMs));
  const firstRow = warmUp.batches * batch;
  await untilHolds(MAX_OPEN_MS, async () => (await isPast(firstRow)) && chromium.evaluate('hasDrawn()'));
  const [count, startMicros] = [Math.round(durationMs / intervalMs), monotonicMicros() + AHEAD_MICROS];
  const endMicros = startMicros + (count - 1) * intervalMicros + MAX_LATE_MICROS;
  await chromium.evaluate(`count(${JSON.stringify({ firstRow, endMicros })})`);
  const [serverCpu, browserCpu] = [watchCpu(server.pid), watchCpu(chromium.pid)];
  const { batches } = await publish(startMicros, firstRow, count);
  await untilHolds(MAX_DRAIN_MS, () => isPast(firstRow + batches * batch));
  const [serverShare, browserShare] = [serverCpu().share, browserCpu().share];
  // What the server gave up to publish was to come too.
  const look = await chromium.evaluate<Look>(`look(${firstRow + count * batch})`);
  await chromium.command('Page.navigate', { url: 'about:blank' });
  await order({ order: 'close' });
  const problem = chromium.problems[problemsBefore];
  if (problem !== undefined) throw new Error(`The page reported ${problem}`);
  const delay = new Histogram();
  for (const micros of look.delaysMicros) delay.note(micros);
  return {
    values: {
      offeredPerSecond: (batch * 1000) / intervalMs,
      rowsPerSecond: (look.rows * 1000) / (count * intervalMs),
      missing: look.lost + look.behind,
      doubled: look.doubled,
      draws: look.draws,
      maxGapMs: look.maxGapMs,
      browserShare,
      serverShare,
      p50Ms: delay.percentileMs(0.5),
      p99Ms: delay.percentileMs(0.99),
    },
    histograms: { delay: delay.encode() },
  };
}

async function untilHolds(maxMs: number, holds: () => Promise<boolean>): Promise<void> {
  const endMicros = monotonicMicros() + maxMs * 1000;
  while (!(await holds()) && monotonicMicros() < endMicros) await sleep(LOOK_MS);
}
