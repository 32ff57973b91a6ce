import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { publishedLog, valueDraft } from '../support/published-log.ts';
import { bareReader } from './support/bare-reader.ts';

/** The most that pages may load, gzipped, in bytes: about a twentieth above what it weighed when this was last set. */
const LIMITS = {
  // What a page loads at once, which is all where it pulls from a stream of ours.
  client: 48_500,
  // With what reads JSON-LD, and so push events, and what reads any LDES.
  wholeClient: 80_500,
  // What makes plain objects of changes, by all of the JSON-LD library.
  json: 38_000,
};

interface Report {
  readonly files: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly firstGzipBytes: number;
    readonly wholeGzipBytes: number;
  }[];
  readonly ownSources: readonly string[];
  readonly packages: readonly string[];
  readonly problems: readonly string[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const bundle = (...args: readonly string[]) =>
  execFileSync(process.execPath, ['scripts/browser-bundle.mjs', ...args], { cwd: root, encoding: 'utf8' });
const report: Report = JSON.parse(bundle('--json'));
const file = (name: string) => {
  const found = report.files.find((entry) => entry.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};

const folder = mkdtempSync(join(tmpdir(), 'ldes-live-bundle-'));
bundle('--out', folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('needs no module and no global of Node, and leaves nothing out that is reached', () => {
  expect(report.problems).toEqual([]);
});

test('is made of all that client, codec, latency and rdf-stream have, and of few packages of others', () => {
  const packages = report.ownSources.map((path) => path.split('/')[1]);
  expect([...new Set(packages)].sort()).toEqual(['client', 'codec', 'latency', 'rdf-stream']);
  for (const name of ['client', 'codec', 'latency', 'rdf-stream']) {
    expect(report.ownSources).toContain(`packages/${name}/src/index.ts`);
  }
  expect(report.packages).toEqual([
    'canonicalize',
    'jsonld',
    'lru-cache',
    'n3',
    'rdf-canonize',
    'rdf-data-factory',
    'yallist',
  ]);
  const licenses = readFileSync(join(folder, 'LICENSES.txt'), 'utf8');
  for (const name of report.packages) expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'));
});

test('weighs no more than what is allowed', () => {
  const client = file('ldes-live-client.js');
  expect(client.firstGzipBytes).toBeLessThanOrEqual(LIMITS.client);
  expect(client.wholeGzipBytes).toBeLessThanOrEqual(LIMITS.wholeClient);
  expect(file('ldes-live-client-json.js').wholeGzipBytes).toBeLessThanOrEqual(LIMITS.json);
});

test('loads what reads JSON-LD when it is needed', () => {
  const { firstGzipBytes, wholeGzipBytes } = file('ldes-live-client.js');
  expect(wholeGzipBytes - firstGzipBytes).toBeGreaterThan(10_000);
});

test('is what the package offers to browsers', () => {
  const { exports } = JSON.parse(readFileSync(`${root}packages/client/package.json`, 'utf8'));
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
  const { log, publicUrl, url } = published;
  await log.append([valueDraft(publicUrl, 1, 1), valueDraft(publicUrl, 2, 1)]);
  const reader = bareReader(folder, url, mal);
  try {
    await reader.reach(2);
    await log.append([valueDraft(publicUrl, 1, 2)]);
    await reader.reach(3);
    expect(reader.changes.map(({ kind }) => kind)).toEqual(['upsert', 'upsert', 'upsert']);
    expect(reader.changes[2]?.via).toBe(via);
    expect(reader.changes.map(({ object }) => object?.value)).toEqual(['1', '1', '2']);
  } finally {
    await reader.close();
    await published.close();
  }
});
