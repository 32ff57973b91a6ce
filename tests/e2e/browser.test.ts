/* The client's bundle for browsers, and pages in one Chromium, one after the other. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type ChromiumPage, openChromium } from '@ldes-live/bench/programs';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportPage } from '../../packages/bench/src/report/pages.ts';
import { ODD_EXPERIMENT, ODD_RESULT } from '../../packages/bench/test/samples.ts';
import { publishedLog } from '../support/published-log.ts';
import { cachedWorld, STRAIGHT } from './caches/world.ts';
import { demonstration, ROOT, startExample, startProcess } from './support/commands.ts';
import { isThere, need } from './support/programs.ts';

/** The most that pages may load, gzipped, in bytes: about a twentieth above what it weighed when this was last set. */
const LIMITS = {
  // What a page loads at once, which is all where it follows a stream of ours, by pull or by push.
  client: 44_000,
  // With what reads any LDES, Turtle, and JSON-LD that our server did not write.
  wholeClient: 99_000,
  // What makes plain objects of changes, with the JSON-LD library, which it loads where a context is given.
  json: 37_500,
};

const folder = mkdtempSync(join(tmpdir(), 'ldes-live-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const bundle = (...args: readonly string[]) =>
  execFileSync(process.execPath, ['scripts/browser-bundle.mjs', ...args], { cwd: ROOT, encoding: 'utf8' });
bundle('--out', folder);

describe('the bundle', () => {
  const report = JSON.parse(bundle('--json'));
  const file = (name: string) => report.files.find((entry: { name: string }) => entry.name === name);

  test('needs no module and no global of Node, and leaves nothing out that is reached', () => {
    expect(report.problems).toEqual([]);
  });

  test('is made of all that client, latency and rdf-stream have, and of few packages of others', () => {
    const packages = report.ownSources.map((path: string) => path.split('/')[1]);
    expect([...new Set(packages)].sort()).toEqual(['client', 'latency', 'rdf-stream']);
    for (const name of ['client', 'latency', 'rdf-stream']) {
      expect(report.ownSources).toContain(`packages/${name}/src/index.ts`);
    }
    expect(report.packages).toEqual([
      'canonicalize',
      'jsonld',
      'lru-cache',
      'n3',
      'rdf-canonize',
      'rdf-data-factory',
      'tinyqueue',
      'yallist',
    ]);
    const licenses = readFileSync(join(folder, 'LICENSES.txt'), 'utf8');
    for (const name of report.packages) expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'));
  });

  test('weighs no more than what is allowed, and loads what reads JSON-LD when it is needed', () => {
    const { firstGzipBytes, wholeGzipBytes } = file('ldes-live-client.js');
    expect(firstGzipBytes).toBeLessThanOrEqual(LIMITS.client);
    expect(wholeGzipBytes).toBeLessThanOrEqual(LIMITS.wholeClient);
    expect(file('ldes-live-client-json.js').wholeGzipBytes).toBeLessThanOrEqual(LIMITS.json);
    expect(wholeGzipBytes - firstGzipBytes).toBeGreaterThan(10_000);
  });

  test('is what the package offers to browsers', () => {
    const { exports } = JSON.parse(readFileSync(`${ROOT}packages/client/package.json`, 'utf8'));
    const written = readdirSync(folder);
    for (const entry of ['./browser', './browser/json']) {
      expect(written).toContain(exports[entry].default.replace('./dist/browser/', ''));
      expect(exports[entry].types).toBe(exports[entry === './browser' ? '.' : './json'].types);
    }
  });

  test.each([
    // Just above the break-even of 10 s.
    ['pull', 11],
    ['push', 0.5],
  ])('follows a stream by %s where there is nothing of Node', async (via, mal) => {
    const published = await publishedLog({ clock: Date.now });
    await published.publish(2, 1);
    const script = fileURLToPath(new URL('support/bare-reader.mjs', import.meta.url));
    const reader = startProcess(process.execPath, [script, pathToFileURL(folder).href, published.url, String(mal)]);
    const told = () =>
      reader
        .output()
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const reach = (changes: readonly object[]) =>
      eventually(() => expect(told(), reader.errorOutput()).toMatchObject(changes), { forMs: 50_000 });
    const first = { kind: 'upsert', object: { value: '1' } };
    try {
      await reach([first, first]);
      await published.publish(1, 2);
      await reach([first, first, { kind: 'upsert', via, object: { value: '2' } }]);
    } finally {
      reader.child.stdin.end();
      await reader.ended;
      await published.close();
    }
  });
});

describe('pages', { timeout: 120_000 }, () => {
  need('chromium');
  let page: ChromiumPage;
  /** Problems of the pages before the one that is open. */
  let earlier = 0;
  beforeAll(async () => {
    if (isThere('chromium')) page = await openChromium('about:blank');
  });
  afterAll(() => page?.close());

  const visit = async (url: string) => {
    earlier = page.problems.length;
    await page.command('Page.navigate', { url });
    await eventually(async () => {
      expect(await page.evaluate('location.href')).toBe(url);
      expect(await page.evaluate('document.readyState')).toBe('complete');
    });
  };
  const problems = () => page.problems.slice(earlier);

  test('of reports open without an error, ask for nothing else, draw every figure, and take names for text', async () => {
    const path = join(folder, 'report.html');
    writeFileSync(path, reportPage([ODD_RESULT], [ODD_EXPERIMENT]));
    await visit(pathToFileURL(path).href);
    expect(await page.evaluate('document.title')).toBe('Benchmarks of ldes-live');
    expect(await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')).toEqual([]);
    expect(await page.evaluate('document.querySelectorAll("script, x").length')).toBe(0);
    const figures = ODD_EXPERIMENT.views.filter(({ kind }) => kind !== 'table');
    for (const [width, scheme] of [
      [390, 'light'],
      [1280, 'dark'],
    ] as const) {
      const size = { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 };
      await page.command('Emulation.setDeviceMetricsOverride', size);
      const features = [{ name: 'prefers-color-scheme', value: scheme }];
      await page.command('Emulation.setEmulatedMedia', { features });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await page.evaluate(DRAWN)).toEqual({ shown: figures.length, cut: [] });
    }
    await page.command('Emulation.clearDeviceMetricsOverride');
    expect(problems()).toEqual([]);
  });

  test.for([
    [1, 'push'],
    [30, 'pull'],
  ] as const)('of the client alone follow the demonstration with a MAL of %s s by %s', async ([mal, mode], context) => {
    const pages = startExample('browser/serve.js', '0');
    context.onTestFinished(() => pages.stop());
    const [, site] = await pages.prints(/(http:\/\/localhost:\d+\/)/);
    await visit(`${site}?mal=${mal}&stream=${await demonstration()}vehicles`);
    const text = (id: string) => page.evaluate<string>(`document.getElementById('${id}').textContent`);
    const rows = () => page.evaluate<string[]>(`[...document.querySelectorAll('li')].map((row) => row.textContent)`);
    const follows = async () => {
      expect([await text('mode'), await text('reason')]).toEqual([mode, expect.stringContaining(`${mal} s`)]);
      expect((await rows()).length).toBeGreaterThan(10);
    };
    await eventually(follows, { forMs: 50_000, everyMs: 200 });
    const before = await rows();
    await eventually(async () => expect(await rows()).not.toEqual(before), { forMs: 50_000, everyMs: 200 });
    expect(problems()).toEqual([]);
  });

  test('over HTTP/1.1 follow 8 streams with a MAL of 1 s, and keep connections for their own requests', async () => {
    const [streams, mostPushed] = [8, 4];
    const world = await cachedWorld(streams, [STRAIGHT], { heartbeatMs: 2000 });
    const logs = await Promise.all(Array.from({ length: streams }, () => world.stream()));
    let publishing = Promise.resolve();
    const timer = setInterval(() => {
      publishing = publishing.then(async () => {
        for (const { update } of logs) await update();
      });
    }, 200);
    const pushConnections = async () => {
      const metrics = await (await fetch(`${world.publicUrl}metrics`)).text();
      return Number(/^ldes_live_push_admitted_connections(?:{[^}]*})? (\d+)/m.exec(metrics)?.[1]);
    };
    const pages = await httpServer((request, response) => {
      const name = /^\/client\/([\w.-]+\.js)$/.exec(request.url ?? '')?.[1];
      const type = name === undefined ? 'text/html; charset=utf-8' : 'text/javascript';
      const content = name === undefined ? pageOf(world.publicUrl, streams) : readFileSync(join(folder, name));
      response.writeHead(200, { 'content-type': type }).end(content);
    });
    await visit(pages.url);
    const look = () => page.evaluate<Look | undefined>('globalThis.look?.()') as Promise<Look>;
    const begun = async () => {
      const now = await look();
      expect(Math.min(...(now?.counts ?? [0]))).toBeGreaterThan(3);
      return now;
    };
    const settled = await eventually(begun, { forMs: 50_000, everyMs: 100 });
    let most = 0;
    const goesOn = async () => {
      most = Math.max(most, await pushConnections());
      const now = await look();
      // Every stream goes on, and so do the page's own requests.
      for (const [index, count] of now.counts.entries()) {
        expect(count).toBeGreaterThan((settled.counts[index] ?? 0) + 10);
      }
      expect(now.answers).toBeGreaterThan(settled.answers + 20);
    };
    await eventually(goesOn, { forMs: 50_000, everyMs: 100 });
    const { statuses, errors, refusals } = await look();
    expect(statuses.filter(({ mode }) => mode === 'push')).toHaveLength(mostPushed);
    expect(most).toBe(mostPushed);
    for (const { reason } of statuses.filter(({ mode }) => mode === 'pull')) {
      expect(reason).toContain('no connection is free for push');
    }
    expect(statuses.map(({ gaps }) => gaps)).toEqual(Array(streams).fill(0));
    expect([errors, refusals, problems()]).toEqual([[], 0, []]);
    await page.command('Page.navigate', { url: 'about:blank' });
    await pages.close();
    clearInterval(timer);
    await publishing;
    await world.close();
  });
});

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

interface Look {
  readonly answers: number;
  readonly refusals: number;
  readonly counts: readonly number[];
  readonly errors: readonly string[];
  readonly statuses: readonly { mode: string; reason: string; malMisses: number; gaps: number }[];
}

/** A page that asks for something of its own all the while, from the same origin as the streams. */
function pageOf(base: string, streams: number): string {
  return `<!doctype html><link rel="icon" href="data:,"><title>Page</title><script type="module">
    import { createLiveClient } from '/client/ldes-live-client.js';
    const base = ${JSON.stringify(base)};
    const client = createLiveClient({ mal: 1 });
    const state = { answers: 0, refusals: 0, counts: [], errors: [] };
    const followers = Array.from({ length: ${streams} }, (_, index) => {
      const follower = client.follow(base + 's' + index);
      state.counts.push(0);
      follower.latest().on('upsert', () => { state.counts[index] += 1; });
      follower.run().catch((error) => state.errors.push(String(error)));
      return follower;
    });
    globalThis.look = () => ({ ...state, statuses: followers.map(({ status }) => status) });
    for (;;) {
      const response = await fetch(base + 'health', { cache: 'no-store' });
      await response.text();
      state[response.ok ? 'answers' : 'refusals'] += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  </script>`;
}
