/*
 * The page as people have it: the demonstration, in the system's Chromium. Streams of other kinds are in web-streams.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@ldes-live/test-support/eventually';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { demonstration, ROOT } from './support/commands.ts';
import { need } from './support/programs.ts';
import { leastOf, WatchedBrowser } from './support/watched-browser.ts';

need('chromium');

/** The most that the page may load before its first view, and with each view, gzipped, in bytes. */
const LIMITS: Readonly<Record<string, number>> = {
  main: 95_000,
  'map-view': 335_000,
  'chart-view': 110_000,
  'ask-view': 200_000,
  'entity-view': 90_000,
};
const browser = new WatchedBrowser();
let base: string;
beforeAll(async () => {
  base = await demonstration();
});

const mode = (page: Page) => page.getByTestId('mode').innerText();

describe('what it weighs', () => {
  const { views } = JSON.parse(
    execFileSync(process.execPath, ['scripts/web-bundle.mjs', '--json'], { cwd: ROOT, encoding: 'utf8' }),
  ) as { views: { view: string; firstGzipBytes: number }[] };

  test('the first view is less than 120 kB of JavaScript, and others load what they need when they are shown', () => {
    const weights = Object.fromEntries(views.map(({ view, firstGzipBytes }) => [view, firstGzipBytes]));
    for (const [view, limit] of Object.entries(LIMITS)) expect(weights[view], view).toBeLessThanOrEqual(limit);
    expect(LIMITS.main).toBeLessThan(120_000);
  });

  test('the coasts are cut where a flat map ends: no line goes back across the whole of it', () => {
    const folder = `${ROOT}packages/web/dist/app/assets/`;
    const files = readdirSync(folder).filter((name) => /^countries-.*\.json$/.test(name));
    expect(files.length).toBe(4);
    const lines = (value: unknown): number[][][] => {
      const items = value as unknown[][];
      return typeof items[0]?.[0] === 'number' ? [items as number[][]] : items.flatMap(lines);
    };
    for (const name of files) {
      const geometry = JSON.parse(readFileSync(folder + name, 'utf8'));
      const parts = geometry.features ?? [geometry];
      const found = parts.flatMap((part: { geometry?: { coordinates: unknown }; coordinates?: unknown }) =>
        lines(part.geometry?.coordinates ?? part.coordinates),
      );
      const jumps = found.flatMap((line: number[][]) =>
        // Along the edge of the map, or at a pole, a ring may be closed.
        line
          .slice(1)
          .filter(([x = 0, y = 0], index) => Math.abs(x - (line[index]?.[0] ?? 0)) > 180 && Math.abs(y) < 89),
      );
      expect(jumps, name).toEqual([]);
    }
  });

  test('the pictures of the documentation weigh less than 300 kB together', () => {
    const pictures = readdirSync(`${ROOT}docs`).flatMap((name) => (name.endsWith('.png') ? `${ROOT}docs/${name}` : []));
    expect(pictures.length).toBe(2);
    expect(pictures.reduce((sum, path) => sum + readFileSync(path).length, 0)).toBeLessThan(300_000);
  });
});

describe('the demonstration', () => {
  test('shows a card for each stream, alive, and finds them by keyword', async () => {
    const page = await browser.open(base);
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

  test('shows vehicles that move within 3 s of the click on their stream', async () => {
    let page: Page | undefined;
    const tookMs = await leastOf(async () => {
      page = await browser.open(base);
      await page.locator('.card canvas.preview').first().waitFor();
      const clickedMs = Date.now();
      await page.getByRole('link', { name: 'Vehicle positions' }).click();
      await page.locator('.map-frame canvas').waitFor();
      await page.locator('.map-legend li').first().waitFor();
      return Date.now() - clickedMs;
    }, 3000);
    expect(tookMs).toBeLessThan(3000);
    // They are drawn by the graphics card: two pictures, some seconds apart, differ.
    await delay(2500);
    const shot = () => (page as Page).locator('.map-frame').screenshot();
    const before = await shot();
    await eventually(async () => expect((await shot()).equals(before)).toBe(false), { forMs: 15_000 });
  });

  test('has a table of any stream, which is sorted and filtered, and whose rows flash when they change', async () => {
    const page = await browser.open(`${base}vehicles#table`);
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

  test('draws numbers over time, from history and on', async () => {
    const page = await browser.open(`${base}vehicles#chart`);
    await page.locator('.series .u-over').waitFor();
    await page.getByText('The last hour, as far').waitFor({ timeout: 20_000 });
    expect(await page.locator('.chips li').count()).toBeGreaterThan(1);
    await page.getByLabel('Property').selectOption({ label: 'occupancy percentage' });
    await page.getByRole('img', { name: /occupancy percentage over time/ }).waitFor();
  });

  test('shows all of one entity, with its versions and the RDF', async () => {
    const page = await browser.open(`${base}vehicles#table`);
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

  test('asks in SPARQL, keeps the answer up to date, and has the question in its URL', async () => {
    const page = await browser.open(`${base}vehicles#ask`);
    await page.locator('.answer-frame tbody tr').first().waitFor({ timeout: 30_000 });
    await page.locator('.bars li').first().waitFor();
    await page.locator('tr.added').first().waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: /How many/ }).click();
    await eventually(async () => expect(decodeURIComponent(page.url())).toContain('COUNT'));
    await page.locator('th', { hasText: 'count' }).waitFor({ timeout: 20_000 });
    const again = await browser.open(page.url());
    await again.locator('th', { hasText: 'count' }).waitFor({ timeout: 20_000 });
    await again.locator('.cm-content').fill('SELECT nonsense');
    await again.getByRole('button', { name: 'Ask', exact: true }).click();
    await again.locator('.ask-view .notice.bad').waitFor({ timeout: 20_000 });
    // A refusal is one of the server's, which the browser logs.
    browser.forgive(again);
  });

  test('tabs with questions leave room for the requests of others', async () => {
    const first = await browser.open(`${base}vehicles#ask`);
    for (let tab = 0; tab < 4; tab += 1) {
      const page = tab === 0 ? first : await first.context().newPage();
      await page.goto(`${base}vehicles#ask`);
      await page.locator('.answer-frame tbody tr').first().waitFor({ timeout: 30_000 });
    }
    const last = await first.context().newPage();
    await last.goto(base, { timeout: 20_000 });
    await last.locator('.card .preview').first().waitFor({ timeout: 20_000 });
  });

  test('switches from push to pull where the slider is moved, and the chart shows it', async () => {
    const page = await browser.open(`${base}vehicles#table`);
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

  test('shows an operator streams, sources and connections', async () => {
    const page = await browser.open(`${base}status`);
    await page.getByRole('row', { name: /vehicles/ }).waitFor();
    await eventually(async () => expect(await page.locator('.tile polyline').count()).toBe(7), { forMs: 15_000 });
    expect(await page.locator('td .badge.good').count()).toBe(4);
    expect(await page.locator('.status-page > p .badge').innerText()).toBe('ok');
  });

  test('offers the same as a command, as JavaScript and as curl, with a button that copies it', async () => {
    const page = await browser.open(`${base}vehicles#table`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy: Terminal' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`npx ldes-live follow ${base}vehicles --mal 1`);
  });

  test.each([
    ['', '.card .preview'],
    ['vehicles', '.map-legend li'],
    ['vehicles#table', '.table-view tbody th'],
    ['vehicles#chart', '.u-over'],
    ['vehicles#ask', '.answer-frame tbody tr'],
    ['vehicles#entity?iri=', '.timeline li'],
    ['alerts#table', '.table-view tbody th'],
    ['status', '.tile'],
  ])('/%s has nothing that keeps anybody out, by axe-core, light or dark, wide or narrow', async (path, ready) => {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 400],
    ] as const) {
      const page = await browser.open(base + path + (path.endsWith('=') ? await anEntity() : ''), {
        colorScheme,
        viewport: { width, height: 900 },
      });
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
  });
});

async function anEntity(): Promise<string> {
  const response = await fetch(`${base}vehicles/latest`, { headers: { accept: 'application/n-triples' } });
  const [, iri = ''] = /isVersionOf> <([^>]+)>/.exec(await response.text()) ?? [];
  return encodeURIComponent(iri);
}

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
