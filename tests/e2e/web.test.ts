/*
 * The page as people have it: the demonstration and streams of our own, in the system's Chromium. Whatever a page logs as
 * an error, and whatever it asks of another host, fails the test that opened it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { programPath } from '@ldes-live/bench/fronts';
import { eventually } from '@ldes-live/test-support/eventually';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { demonstration, ROOT } from './support/commands.ts';
import { type PublishedThings, publishThings } from './support/moving-things.ts';
import { need } from './support/programs.ts';

need('chromium');

/** The most that the page may load before its first view, and with each view, gzipped, in bytes. */
const LIMITS: Readonly<Record<string, number>> = {
  main: 95_000,
  'map-view': 335_000,
  'chart-view': 110_000,
  'ask-view': 140_000,
  'entity-view': 90_000,
};
const IS_LONG = process.env.LDES_LIVE_FULL === '1';

let browser: Browser;
let base: string;
const opened: { page: Page; faults: string[] }[] = [];

beforeAll(async () => {
  base = await demonstration();
  // Without a graphics card its work is done by the processor, but not in the thread of the page.
  const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--ignore-gpu-blocklist'];
  browser = await chromium.launch({ executablePath: programPath('chromium'), args });
});
afterAll(async () => await browser?.close());
afterEach(async () => {
  const faults = opened.flatMap((each) => each.faults);
  await Promise.all(opened.splice(0).map(({ page }) => page.context().close()));
  expect(faults).toEqual([]);
});

/** Opens a page that must not fail, nor ask anything of another origin. */
async function open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  opened.push({ page, faults });
  watch(page, faults, new URL(url).origin);
  await page.goto(url);
  return page;
}

function watch(page: Page, faults: string[], origin: string): void {
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // What fails while a test has cut the network is what it cut.
    if (message.type() === 'error' && !/ERR_INTERNET_DISCONNECTED|ERR_NETWORK/.test(message.text()))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (/^https?:$/.test(protocol) && asked !== origin) faults.push(`asked ${request.url()}`);
  });
}

const mode = (page: Page) => page.getByTestId('mode').innerText();

describe('what it weighs', () => {
  const { views } = JSON.parse(
    execFileSync(process.execPath, ['scripts/web-bundle.mjs', '--json'], { cwd: ROOT, encoding: 'utf8' }),
  ) as { views: { view: string; firstGzipBytes: number }[] };

  test('WEB-20 the first view is less than 120 kB of JavaScript, and others load what they need when they are shown', () => {
    const weights = Object.fromEntries(views.map(({ view, firstGzipBytes }) => [view, firstGzipBytes]));
    for (const [view, limit] of Object.entries(LIMITS)) expect(weights[view], view).toBeLessThanOrEqual(limit);
    expect(LIMITS.main).toBeLessThan(120_000);
  });

  test('the pictures of the README weigh less than 300 kB together', () => {
    const readme = readFileSync(`${ROOT}README.md`, 'utf8');
    const pictures = [...readme.matchAll(/\]\((docs\/[\w-]+\.png)\)/g)].map(([, path]) => `${ROOT}${path}`);
    expect(pictures.length).toBe(2);
    expect(pictures.reduce((sum, path) => sum + readFileSync(path).length, 0)).toBeLessThan(300_000);
  });
});

describe('the demonstration', () => {
  test('WEB-21 shows a card for each stream, alive, and finds them by keyword', async () => {
    const page = await open(base);
    await page.locator('.card').first().waitFor();
    expect(await page.locator('.card h2').allInnerTexts()).toEqual([
      'Vehicle positions',
      'Trip updates',
      'Service alerts',
      'Timetable',
    ]);
    const vehicles = page.locator('.card').first();
    await eventually(async () => expect(Number(await vehicles.locator('dd').first().innerText())).toBeGreaterThan(5), {
      forMs: 20_000,
    });
    await eventually(async () => expect(await vehicles.locator('dd').nth(1).innerText()).toMatch(/ ago|just now/), {
      forMs: 20_000,
    });
    await page.getByRole('searchbox').fill('delays');
    expect(await page.locator('.card h2').allInnerTexts()).toEqual(['Trip updates']);
  });

  test('WEB-22 shows vehicles that move within 3 s of the click on their stream', async () => {
    const page = await open(base);
    await page.locator('.card canvas.preview').first().waitFor();
    const clickedMs = Date.now();
    await page.getByRole('link', { name: 'Vehicle positions' }).click();
    await page.locator('.map-frame canvas').waitFor();
    await page.locator('.map-legend li').first().waitFor();
    expect(Date.now() - clickedMs).toBeLessThan(3000);
    // They are drawn by the graphics card: two pictures, some seconds apart, differ.
    await delay(2500);
    const shot = () => page.locator('.map-frame').screenshot();
    const before = await shot();
    await eventually(async () => expect((await shot()).equals(before)).toBe(false), { forMs: 15_000 });
  });

  test('WEB-23 has a table of any stream, which is sorted and filtered, and whose rows flash when they change', async () => {
    const page = await open(`${base}vehicles#table`);
    const rows = page.locator('.table-view tbody tr:not(.spacer)');
    await eventually(async () => expect(await rows.count()).toBeGreaterThan(5), { forMs: 20_000 });
    const labels = () => page.locator('.table-view tbody th').allInnerTexts();
    const compare = new Intl.Collator('en', { numeric: true }).compare;
    await eventually(async () => expect(await labels()).toEqual([...(await labels())].sort(compare)));
    await page.getByRole('button', { name: 'entity' }).click();
    await eventually(async () => expect(await labels()).toEqual([...(await labels())].sort(compare).reverse()));
    await page.locator('.flash-odd, .flash-even').first().waitFor({ timeout: 20_000 });
    await page.getByRole('searchbox').fill('tram');
    await eventually(async () => {
      const found = await labels();
      expect(found.length).toBeGreaterThan(0);
      expect(found.every((label) => label.startsWith('Tram'))).toBe(true);
    });
  });

  test('WEB-24 draws numbers over time, from history and on', async () => {
    const page = await open(`${base}vehicles#chart`);
    await page.locator('.series .u-over').waitFor();
    await page.getByText('From the history of the last hour').waitFor({ timeout: 20_000 });
    expect(await page.locator('.chips li').count()).toBeGreaterThan(1);
    await page.getByLabel('Property').selectOption({ label: 'occupancy percentage' });
    await page.getByRole('img', { name: /occupancy percentage over time/ }).waitFor();
  });

  test('WEB-25 shows all of one entity, with its versions and the RDF', async () => {
    const page = await open(`${base}vehicles#table`);
    await page.locator('.table-view tbody th a').first().click();
    await page.locator('.timeline li').nth(1).waitFor({ timeout: 30_000 });
    const text = await page.locator('.properties').first().innerText();
    // Of another stream: the timetable has the name of the line.
    await page.locator('.properties dd').getByText(/ - /).first().waitFor({ timeout: 20_000 });
    expect(text).toContain('speed');
    await page.getByText('The RDF').click();
    expect(await page.locator('.raw pre').innerText()).toContain('@prefix');
    await page.getByRole('button', { name: 'JSON-LD' }).click();
    expect(JSON.parse(await page.locator('.raw pre').innerText())).toHaveProperty('@context');
  });

  test('WEB-26 asks in SPARQL, keeps the answer up to date, and has the question in its URL', async () => {
    const page = await open(`${base}vehicles#ask`);
    await page.locator('.answer-frame tbody tr').first().waitFor({ timeout: 30_000 });
    await page.locator('.bars li').first().waitFor();
    await page.locator('tr.added').first().waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: /How many/ }).click();
    await eventually(async () => expect(decodeURIComponent(page.url())).toContain('COUNT'));
    await page.locator('th', { hasText: 'count' }).waitFor({ timeout: 20_000 });
    const again = await open(page.url());
    await again.locator('th', { hasText: 'count' }).waitFor({ timeout: 20_000 });
    await again.locator('.cm-content').fill('SELECT nonsense');
    await again.getByRole('button', { name: 'Ask', exact: true }).click();
    await again.locator('.ask-view .notice.bad').waitFor({ timeout: 20_000 });
    // A refusal is one of the server's, which the browser logs.
    opened.at(-1)?.faults.splice(0);
  });

  test('WEB-27 switches from push to pull where the slider is moved, and the chart shows it', async () => {
    const page = await open(`${base}vehicles#table`);
    await eventually(async () => expect(await mode(page)).toBe('PUSH'), { forMs: 20_000 });
    const ground = async () => await colourAtEndOf(page);
    await eventually(async () => expect(await ground()).toBe('push'), { forMs: 20_000 });
    await page.getByLabel('An update may be at most').fill('60');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await mode(page)).toBe('PULL'), { forMs: 20_000 });
    await eventually(async () => expect(await ground()).toBe('pull'), { forMs: 20_000 });
    await page.getByText(/above the break-even|at or above|is not below/).waitFor({ timeout: 10_000 });
    await page.getByLabel('Maximum acceptable latency').focus();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Home');
    await eventually(async () => expect(await mode(page)).toBe('PUSH'), { forMs: 20_000 });
  });

  test('WEB-28 shows an operator streams, sources and connections', async () => {
    const page = await open(`${base}status`);
    await page.getByRole('row', { name: /vehicles/ }).waitFor();
    await eventually(async () => expect(await page.locator('.tile polyline').count()).toBe(7), { forMs: 15_000 });
    expect(await page.locator('td .badge.good').count()).toBe(4);
    expect(await page.locator('.status-page > p .badge').innerText()).toBe('ok');
  });

  test('WEB-29 offers the same as a command, as JavaScript and as curl, with a button that copies it', async () => {
    const page = await open(`${base}vehicles#table`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy: Terminal' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`npx ldes-live follow ${base}vehicles --mal 1`);
  });

  test.each([
    ['', '.card .preview'],
    ['vehicles', '.map-legend li'],
    ['vehicles#table', '.table-view tbody th'],
    ['vehicles#chart', '.u-over'],
    ['vehicles#ask', '.answer-frame tbody tr'],
    ['alerts#table', '.table-view tbody th'],
    ['status', '.tile'],
  ])(
    'WEB-30 /%s has nothing that keeps anybody out, by axe-core, light or dark, wide or narrow',
    async (path, ready) => {
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 400],
      ] as const) {
        const page = await open(base + path, { colorScheme, viewport: { width, height: 900 } });
        await page.locator(ready).first().waitFor({ timeout: 30_000 });
        await page.evaluate(axe.source);
        const { violations } = (await page.evaluate('axe.run()')) as {
          violations: { id: string; nodes: { html: string }[] }[];
        };
        expect(violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 2).map(({ html }) => html)])).toEqual([]);
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
        await page.context().close();
      }
    },
  );
});

/** The way whose colour the ground of the chart has at its right end. */
async function colourAtEndOf(page: Page): Promise<string> {
  return await page.evaluate(`(() => {
    const canvas = document.querySelector('.lag-chart canvas');
    if (!canvas) return 'none';
    const { data } = canvas.getContext('2d').getImageData(canvas.width - 16, canvas.height - 50, 1, 1);
    if (data[3] === 0) return 'none';
    return data[0] > data[2] ? 'pull' : 'push';
  })()`);
}

describe('streams of other sizes', () => {
  let published: PublishedThings | undefined;
  afterEach(async () => await published?.close());

  test('WEB-31 of a stream without places there is a table and a chart, and no map', async () => {
    published = await publishThings({ things: 10, moving: 2, intervalMs: 1000 });
    const page = await open(`${published.publicUrl}notes`);
    await page.locator('.table-view tbody th').first().waitFor({ timeout: 20_000 });
    expect(await page.locator('.tabs a').allInnerTexts()).toEqual(['Table', 'Chart']);
    expect(await page.locator('.table-view tbody th').count()).toBe(10);
  });

  test('WEB-32 what ends fades out of the table', async () => {
    published = await publishThings({ things: 10, moving: 1, intervalMs: 2000 });
    const page = await open(`${published.url}#table`);
    await page.getByRole('link', { name: 'Thing 9' }).waitFor({ timeout: 20_000 });
    await published.remove(9);
    await page.locator('tr.leaving', { hasText: 'Thing 9' }).waitFor({ timeout: 5000 });
    await eventually(async () => expect(await page.getByRole('link', { name: 'Thing 9' }).count()).toBe(0));
  });

  test('WEB-33 says that the network is gone, and goes on from where it was when it is back', async () => {
    published = await publishThings({ things: 10, moving: 2, intervalMs: 500 });
    const page = await open(`${published.url}#table`);
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

  test('WEB-34 a second tab follows beside the first, and both keep their limit', async () => {
    published = await publishThings({ things: 10, moving: 2, intervalMs: 500 });
    const page = await open(`${published.url}#table`);
    const second = await page.context().newPage();
    watch(second, opened[0]?.faults ?? [], new URL(published.url).origin);
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

  test('WEB-35 streams of others are shown, by polling, where the server allows it, and not where it does not', async () => {
    const other = await publishThings({ things: 10, moving: 2, intervalMs: 1000 });
    try {
      published = await publishThings({ things: 10, moving: 2, intervalMs: 1000, foreign: true });
      const page = await open(`${published.publicUrl}view?url=${encodeURIComponent(other.url)}`);
      await page.locator('.map-legend, .table-view').first().waitFor({ timeout: 30_000 });
      await page.getByText('a stream of another server').waitFor();
      opened.at(-1)?.faults.splice(0);
      const refused = await open(`${base}view?url=${encodeURIComponent(other.url)}`);
      await refused.getByText('does not open streams of others').waitFor();
    } finally {
      await other.close();
    }
  });

  test('WEB-36 5,000 entities of which 1,000 move every 2 s: no task of the main thread is long, and memory stays', {
    timeout: IS_LONG ? 800_000 : 90_000,
  }, async () => {
    published = await publishThings({ things: 5000, moving: 1000, intervalMs: 2000 });
    const page = await open(published.url);
    await eventually(async () => expect(await page.locator('.head-facts strong').first().innerText()).toBe('5,000'), {
      forMs: 40_000,
    });
    await delay(8000);
    await page.evaluate(`
      window.longMs = [];
      new PerformanceObserver((list) => window.longMs.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: 'longtask' });
    `);
    const session = await page.context().newCDPSession(page);
    const heapBytes = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const heaps = [await heapBytes()];
    for (let minute = 0; minute < (IS_LONG ? 10 : 0.5); minute += 1) {
      await delay(IS_LONG ? 60_000 : 25_000);
      heaps.push(await heapBytes());
    }
    const longMs = (await page.evaluate('window.longMs')) as number[];
    const longest = Math.max(0, ...longMs);
    process.stderr.write(
      `page of 5,000: longest task ${longest.toFixed(0)} ms of ${longMs.length} over 50 ms; heap ${heaps.map((bytes) => (bytes / 1e6).toFixed(0)).join(', ')} MB\n`,
    );
    expect(longest).toBeLessThan(100);
    expect(heaps.at(-1)).toBeLessThan((heaps[0] as number) * 1.25);
  });
});
