// `npm run screenshots`: takes pictures of each view of the page in the system's Chromium, wide and narrow, light and dark,
// of the demonstration. `--out FOLDER` puts them elsewhere than in coverage/screenshots; `--url URL` takes another server;
// `--only NAME` one view. `--readme` writes the two pictures of the README.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const PORT = 3477;
const { out, url, only, readme } = parseArgs({
  options: {
    out: { type: 'string', default: 'coverage/screenshots' },
    url: { type: 'string' },
    only: { type: 'string' },
    readme: { type: 'boolean' },
  },
}).values;

const QUERY = `PREFIX gtfs: <http://vocab.gtfs.org/terms#>
SELECT ?route (COUNT(*) AS ?vehicles) WHERE {
  ?version gtfs:route ?route .
} GROUP BY ?route`;

/** Each view: its path, what is there once it is complete, and how long it lives before the picture is taken. */
const VIEWS = {
  catalog: { path: '', ready: '.card .preview', waitMs: 6000 },
  map: { path: 'vehicles', ready: '.map-legend li', waitMs: 12_000 },
  table: { path: 'vehicles#table', ready: '.table-view td', waitMs: 3000 },
  chart: { path: 'vehicles#chart', ready: '.u-over', waitMs: 4000 },
  ask: { path: `vehicles#ask?${new URLSearchParams({ query: QUERY })}`, ready: '.bars li', waitMs: 2000 },
  entity: { path: 'vehicles#entity?iri=', ready: '.timeline li', waitMs: 2000 },
  status: { path: 'status', ready: '.tile svg', waitMs: 13_000 },
};
const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 400, height: 800 } };

const base = url ?? `http://localhost:${PORT}/`;
const server = url
  ? undefined
  : spawn(process.execPath, ['packages/cli/bin/ldes-live.js', 'serve', '--demo', '--port', PORT], { stdio: 'ignore' });
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--ignore-gpu-blocklist'],
});

async function take(name, size, colorScheme, path, whole) {
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && console.error(`${name}: ${message.text()}`));
  const { path: where, ready, waitMs } = VIEWS[name];
  await page.goto(base + where + (name === 'entity' ? await anEntity() : ''));
  await page.waitForSelector(ready, { timeout: 20_000 }).catch(() => console.error(`${name}: ${ready} never came`));
  await delay(waitMs);
  // Looser for a while, and strict again: the chart of the README shows both ways.
  for (const [seconds, ms] of readme && name === 'map'
    ? [
        [20, 45_000],
        [1, 30_000],
      ]
    : []) {
    await page.getByLabel('An update may be at most').fill(String(seconds));
    await page.keyboard.press('Enter');
    await delay(ms);
  }
  await page.screenshot({ path, fullPage: whole });
  await context.close();
  console.log(path);
}

async function anEntity() {
  const response = await fetch(`${base}vehicles/latest`, { headers: { accept: 'application/n-triples' } });
  const [, iri] = /<http:\/\/purl\.org\/dc\/terms\/isVersionOf> <([^>]+)>/.exec(await response.text()) ?? [];
  return encodeURIComponent(iri);
}

async function isUp() {
  for (let tries = 0; tries < 100; tries += 1) {
    if (
      await fetch(`${base}health`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await delay(200);
  }
  throw new Error(`no server answers at ${base}`);
}

try {
  await isUp();
  if (readme) {
    mkdirSync('docs', { recursive: true });
    await take('map', 'wide', 'light', 'docs/map.png', false);
    await take('catalog', 'wide', 'light', 'docs/catalog.png', false);
  } else {
    mkdirSync(out, { recursive: true });
    const names = Object.keys(VIEWS).filter((name) => only === undefined || name === only);
    const wanted = names.flatMap((name) =>
      Object.keys(SIZES).flatMap((size) => ['light', 'dark'].map((scheme) => [name, size, scheme])),
    );
    for (let at = 0; at < wanted.length; at += 4) {
      const some = wanted.slice(at, at + 4);
      await Promise.all(
        some.map(([name, size, scheme]) =>
          take(name, size, scheme, join(out, `${name}-${size}-${scheme}.png`), size === 'narrow'),
        ),
      );
    }
  }
} finally {
  await browser.close();
  server?.kill();
}
