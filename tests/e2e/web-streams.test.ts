/*
 * The page with streams of other kinds than the demonstration has: without places, empty, failing, of others, and large; and
 * where the network goes.
 */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { demonstration } from './support/commands.ts';
import { type PublishedThings, publishThings } from './support/moving-things.ts';
import { need } from './support/programs.ts';
import { leastOf, WatchedBrowser } from './support/watched-browser.ts';

need('chromium');

// By itself on a machine: the time that passes counts then, and else that of the processor.
const IS_LONG = process.env.LDES_LIVE_FULL === '1';
const LIMIT_TASK_MS = 100;
const browser = new WatchedBrowser();
const mode = (page: Page) => page.getByTestId('mode').innerText();

let published: PublishedThings | undefined;
afterEach(async () => await published?.close());

test('of a stream without places there is a table and a chart, and no map', async () => {
  published = await publishThings({ things: 10, moving: 2, intervalMs: 1000 });
  const page = await browser.open(`${published.publicUrl}notes`);
  await page.locator('.table-view tbody th').first().waitFor({ timeout: 20_000 });
  expect(await page.locator('.tabs a').allInnerTexts()).toEqual(['Table', 'Chart']);
  expect(await page.locator('.table-view tbody th').count()).toBe(10);
  await page.goto(`${published.publicUrl}notes#map`);
  await page.locator('.table-view tbody th').first().waitFor({ timeout: 20_000 });
});

test('says that nothing lives, that a source fails, or that a stream cannot be read', async () => {
  published = await publishThings({ things: 0, moving: 0, intervalMs: 1000 });
  const page = await browser.open(published.url);
  await page.getByText('This stream has no entities').waitFor({ timeout: 20_000 });
  await page.goto(`${published.publicUrl}broken`);
  await page.getByText('The source has been failing since').waitFor({ timeout: 20_000 });
  await page.goto(`${published.publicUrl}status`);
  await page.getByText('The source broken failed').waitFor({ timeout: 20_000 });
  await page.route('**/things/latest*', (route) => route.fulfill({ status: 403, body: '' }));
  await page.goto(published.url);
  await page.getByRole('alert').getByText('403').waitFor({ timeout: 20_000 });
  await page.unroute('**/things/latest*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('This stream has no entities').waitFor({ timeout: 20_000 });
  browser.forgive(page);
});

test('what ends fades out of the table', async () => {
  published = await publishThings({ things: 10, moving: 1, intervalMs: 2000 });
  const page = await browser.open(`${published.url}#table`);
  await page.getByRole('link', { name: 'Thing 9' }).waitFor({ timeout: 20_000 });
  await published.remove(9);
  await page.locator('tr.leaving', { hasText: 'Thing 9' }).waitFor({ timeout: 5000 });
  await eventually(async () => expect(await page.getByRole('link', { name: 'Thing 9' }).count()).toBe(0));
});

test('says that the network is gone, and goes on from where it was when it is back', async () => {
  published = await publishThings({ things: 10, moving: 2, intervalMs: 500 });
  const page = await browser.open(`${published.url}#table`);
  await eventually(async () => expect(await mode(page)).toBe('PUSH'), { forMs: 20_000 });
  await page.context().setOffline(true);
  await page.getByText('You are offline').waitFor({ timeout: 20_000 });
  await delay(2000);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.context().setOffline(false);
  await page.getByText('You are offline').waitFor({ state: 'detached', timeout: 30_000 });
  await eventually(async () => expect(await page.locator('.head-facts').innerText()).toMatch(/just now|[12] s ago/), {
    forMs: 20_000,
  });
  // By its cursor: the whole state is not read again.
  expect(asked.filter((url) => url.includes('/things')).every((url) => !url.endsWith('/latest'))).toBe(true);
});

test('a second tab follows beside the first, and both keep their limit', async () => {
  published = await publishThings({ things: 10, moving: 2, intervalMs: 500 });
  const page = await browser.open(`${published.url}#table`);
  const second = await page.context().newPage();
  browser.watch(second, new URL(published.url).origin);
  await second.goto(`${published.url}#table`);
  for (const tab of [page, second]) {
    await eventually(async () => expect(await mode(tab)).toBe('PUSH'), { forMs: 20_000 });
    await eventually(async () => expect(await tab.locator('.head-facts').innerText()).toMatch(/just now/), {
      forMs: 20_000,
    });
  }
  // Four connections of one browser to one server are the most that push may hold, over all tabs.
  const locks = (await second.evaluate(
    'navigator.locks.query().then(({ held }) => held.map(({ name }) => name))',
  )) as string[];
  expect(locks.filter((name) => name.startsWith('ldes-live push')).length).toBe(2);
});

test('an LDES of others is shown, by polling, where both servers allow it', async () => {
  const turtle = (
    path: string,
    base: string,
  ) => `@prefix ex: <http://example.org/> . @prefix tree: <https://w3id.org/tree#> .
@prefix ldes: <https://w3id.org/ldes#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<${base}s> a ldes:EventStream ; tree:view <${base}s> ; ldes:timestampPath ex:at ; ldes:versionOfPath ex:of .
<${base}s> tree:relation [ a tree:Relation ; tree:node <${base}b> ] .
<${base}s> tree:member <${base}${path}1> . <${base}${path}1> ex:of <${base}e/${path}> ; ex:count ${path.length} ;
  ex:at "2026-03-01T06:00:00Z"^^xsd:dateTime .`;
  const other = await httpServer((request, response) => {
    const path = `${request.url}`.slice(1);
    const isOpen = !path.startsWith('closed/');
    response.writeHead(200, { 'content-type': 'text/turtle', ...(isOpen && { 'access-control-allow-origin': '*' }) });
    response.end(turtle(path, other.url));
  });
  try {
    published = await publishThings({ things: 10, moving: 2, intervalMs: 1000, foreign: true });
    const view = (url: string) => `${published?.publicUrl}view?url=${encodeURIComponent(url)}`;
    const page = await browser.open(view(`${other.url}s`));
    await page.getByText('a stream of another server, polled').waitFor({ timeout: 20_000 });
    await eventually(
      async () => expect(await page.locator('.table-view tbody th').allInnerTexts()).toEqual(['b', 's']),
      {
        forMs: 20_000,
      },
    );
    await page.goto(view(`${other.url}closed/s`));
    await page.locator('.notice.bad').waitFor({ timeout: 20_000 });
    await page.close();
    // To ask it was what was wanted.
    browser.forgive(page);
    const refused = await browser.open(`${await demonstration()}view?url=${encodeURIComponent(`${other.url}s`)}`);
    await refused.getByText('does not open streams of others').waitFor();
  } finally {
    await other.close();
  }
});

test('5,000 entities of which 1,000 move every 2 s: no task of the main thread is long, and memory stays', {
  timeout: IS_LONG ? 800_000 : 150_000,
}, async () => {
  published = await publishThings({ things: 5000, moving: 1000, intervalMs: 2000 });
  const page = await browser.open(published.url);
  await eventually(async () => expect(await page.locator('.head-facts strong').first().innerText()).toBe('5,000'), {
    forMs: 40_000,
  });
  await delay(8000);
  const session = await page.context().newCDPSession(page);
  const heapBytes = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize;
  };
  // An update each 2 s, and colours chosen anew each 15 s.
  const longestMs = await leastOf(async () => {
    const endTasks = await browser.tasks(page);
    await delay(17_000);
    return (await endTasks())[IS_LONG ? 'longestMs' : 'busiestMs'];
  }, LIMIT_TASK_MS);
  // Only now: beside other tests the page may still be loading at its beginning.
  const heaps = [await heapBytes()];
  for (let part = 0; part < (IS_LONG ? 10 : 1); part += 1) {
    await delay(IS_LONG ? 60_000 : 10_000);
    heaps.push(await heapBytes());
  }
  const megabytes = heaps.map((bytes) => (bytes / 1e6).toFixed(0)).join(', ');
  process.stderr.write(`page of 5,000: longest task ${longestMs} ms; heap ${megabytes} MB\n`);
  expect(longestMs).toBeLessThan(LIMIT_TASK_MS);
  expect(heaps.at(-1)).toBeLessThan((heaps[0] as number) * 1.25);
});
