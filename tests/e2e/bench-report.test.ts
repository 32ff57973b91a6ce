import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ChromiumPage, openChromium } from '@ldes-live/bench/chromium';
import { figureSvg, reportHtml } from '@ldes-live/bench/report';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { isThere } from './support/programs.ts';
import { sampleReports } from './support/sample-reports.ts';

const isMissing = !isThere('chromium');
let folder: string;
let page: ChromiumPage;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bench-report-'));
  const path = join(folder, 'report.html');
  await writeFile(path, reportHtml(sampleReports()));
  address = pathToFileURL(path).href;
  if (isMissing) return;
  page = await openChromium(address);
  await vi.waitFor(async () => expect(await page.evaluate('document.readyState')).toBe('complete'), {
    timeout: 20_000,
  });
});
afterAll(async () => {
  await page?.close();
  await rm(folder, { recursive: true });
});
beforeEach(({ skip }) => skip(isMissing, 'not installed: chromium'));

test('the page of reports opens without an error and without asking for anything else', async () => {
  expect(await page.evaluate('document.title')).toBe('Benchmarks of ldes-live');
  expect(await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')).toEqual([]);
  expect(page.problems).toEqual([]);
});

test('names that would be markup are text', async () => {
  expect(await page.evaluate('document.querySelectorAll("script, b, i, img, mark").length')).toBe(0);
  expect(await page.evaluate('document.querySelectorAll("h2")[1].textContent')).toBe(sampleReports()[1]?.title);
});

test.each([
  [390, 'light'],
  [390, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
])('at %d pixels, %s, nothing is wider than the page but what scrolls in its own box', async (width, scheme) => {
  await show(width, scheme);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  expect(await page.evaluate(WIDER)).toEqual([]);
  expect(
    await page.evaluate('[...document.querySelectorAll(".scroll")].some((box) => box.scrollWidth > box.clientWidth)'),
  ).toBe(true);
});

test.each([390, 1280])('at %d pixels every figure is drawn once, with its text within it', async (width) => {
  await show(width, 'light');
  const figures = sampleReports().flatMap(({ sections }) => sections.flatMap(({ figures: drawn }) => drawn ?? []));
  const { shown, cut } = await page.evaluate<{ shown: number; cut: string[] }>(DRAWN);
  expect(shown).toBe(figures.length);
  expect(cut).toEqual([]);
});

test('a figure is a file of its own that Chromium draws', async () => {
  for (const figure of sampleReports().flatMap(({ sections }) => sections.flatMap(({ figures }) => figures ?? []))) {
    const source = JSON.stringify(`data:image/svg+xml;base64,${Buffer.from(figureSvg(figure)).toString('base64')}`);
    const size = await page.evaluate(
      `new Promise((resolve, reject) => { const image = new Image(); image.onload = () => resolve(image.naturalWidth); image.onerror = () => reject(new Error('not drawn')); image.src = ${source}; })`,
    );
    expect(size).toBe(760);
  }
});

async function show(width: number, scheme: string): Promise<void> {
  await page.command('Emulation.setDeviceMetricsOverride', {
    width,
    height: 900,
    deviceScaleFactor: 1,
    mobile: width < 500,
  });
  await page.command('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
}

/** What sticks out of the window, without what is in boxes that scroll. */
const WIDER = `[...document.querySelectorAll('body *')]
  .filter((element) => !element.closest('.scroll') || element.matches('.scroll'))
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 || element.getBoundingClientRect().left < -0.5)
  .map((element) => element.outerHTML.slice(0, 80))`;

/** How many figures are seen, and which of their texts go beyond them. */
const DRAWN = `(() => {
  const drawings = [...document.querySelectorAll('figure > svg')].filter((svg) => svg.getBoundingClientRect().width > 0);
  const cut = drawings.flatMap((svg) => {
    const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter((text) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      return left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1;
    }).map((text) => text.textContent);
  });
  return { shown: drawings.length, cut };
})()`;
