import { readFileSync } from 'node:fs';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, literal, namedNode, quad, rdf, tree } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer } from '@ldes-live/server';
import { reservedPort } from '@ldes-live/test-support/net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkStream, rules } from '../../src/check/check-stream.ts';
import { DEFAULT_CHECK_LIMITS } from '../../src/check/http.ts';
import { faults } from './faults.ts';
import { ends, FaultyServer, ROOT, redirects, STREAM, say, says } from './faulty-server.ts';

describe('faults', () => {
  const QUICK = { clock: Date.now, limits: { pauseMs: 0, pushMs: 1000 } };

  let server: FaultyServer;
  beforeEach(async () => {
    server = await new FaultyServer().listen();
  });

  test('a stream that keeps every rule has no finding', async () => {
    const { findings, extent } = await checkStream(server.root, QUICK);
    expect(findings).toEqual([]);
    expect(extent).toMatchObject({ pagesRead: 4, pagesKnown: 4 });
  });

  test.each([
    ['the IRI of the stream', '/s#stream'],
    ['what redirects to the root', '/old'],
    ['an overview with one view', '/all'],
  ])('%s leads to the root', async (_, path) => {
    server.plant([redirects('/old', '/s'), says('/all', () => [say(STREAM, tree.view, ROOT)])]);
    const { findings, root, extent } = await checkStream(`${server.base}${path}`, QUICK);
    expect(findings).toEqual([]);
    expect(root).toBe(server.root);
    expect(extent.pagesRead).toBe(4);
  });

  test.each(Object.entries(faults))('%s is found, and nothing else is', async (fault, plants) => {
    server.plant(plants);
    const { findings } = await checkStream(`${server.base}${server.start}`, QUICK);
    expect(findings).toEqual([expect.objectContaining({ id: fault.split(' ', 1)[0] })]);
  });

  test('a sealed page whose place another one has taken has not changed', async () => {
    server.plant(says('/s/removed', () => [say(`${ROOT}/removed`, rdf.type, tree.Node)]));
    const moved = { status: 307, body: '', fields: { location: '/s/removed' } };
    server.plant(ends('/s/p1', (answer, { times }) => Object.assign(answer, times >= 5 && moved)));
    expect((await checkStream(server.root, QUICK)).findings).toEqual([]);
    expect(server.log.map(({ url }) => url)).toContain('/s/removed');
  });

  test('every rule finds a planted fault', () => {
    const planted = new Set(Object.keys(faults).map((fault) => fault.split(' ', 1)[0]));
    expect(planted).toEqual(new Set(rules.map(({ id }) => id)));
  });
});

describe('own server', () => {
  const EVERY_MS = 60_000;
  let server: LiveServer;
  let base: string;

  beforeAll(async () => {
    // The public URL is in every member, so that the port has to be known before there is a server.
    const port = await reservedPort();
    base = `http://127.0.0.1:${port}/`;
    const lastMs = Date.now();
    const schedule = () => ({ kind: 'interval', intervalMs: EVERY_MS, nextMs: lastMs + EVERY_MS }) as const;
    const streams = await Promise.all(
      [0, 600, 26_000].map(async (members) => {
        const description = describeStream({ publicUrl: base, name: `of-${members}`, title: `${members} members` });
        let nowMs = lastMs - 600_000;
        const log = await createMemoryStore({ clock: () => (nowMs += 100), random: Math.random }).open(description);
        for (let from = 0; from < members; from += 200) {
          await log.append(
            Array.from({ length: Math.min(200, members - from) }, (_, index) => draft(description.url, index, from)),
          );
        }
        return { description, log, schedule: members === 600 ? schedule : () => ({ kind: 'unknown' }) as const };
      }),
    );
    server = await createLiveServer({ publicUrl: base, streams, clock: Date.now, random: Math.random });
    await server.listen({ host: '127.0.0.1', port });
  });
  afterAll(() => server.close());

  test.each([
    ['a stream without members', 'of-0', 3],
    ['a stream of three pages', 'of-600', 5],
    ['a stream of two ranges', 'of-26000', 12],
    ['the latest state', 'of-600/latest', 1],
    ['the view by place', 'of-600/tiles', 1],
    ['an event stream by its IRI', 'of-600#stream', 5],
  ])('nothing is found on %s', async (_, path, minPages) => {
    const limits = { pauseMs: 0, pages: 12 };
    const { findings, extent } = await checkStream(`${base}${path}`, { clock: Date.now, limits });
    expect(findings).toEqual([]);
    expect(extent.pagesKnown).toBeGreaterThanOrEqual(minPages);
    expect(extent.stopped).toBeUndefined();
  });

  function draft(url: string, number: number, value: number) {
    const entity = `${url}/entities/${number}`;
    const quads = [quad(namedNode(entity), namedNode('http://example.org/value'), literal(String(value)))];
    return { kind: 'upsert', entity, origin: 'feed', fingerprint: String(value), quads } as const;
  }
});

test('the specification has every rule as it is checked, and no other, in order; and the default of --pages', () => {
  const text = readFileSync(new URL('../../../../specs/check.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (CHK-\d+) +\| (\w+) +\| (.*?) +\| (.*?) +\|$/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(rules.map(({ id, severity, title, source }) => [id, severity, title, source]));
  const dropped = /never used again: (.*) stood/.exec(text)?.[1]?.match(/\d+/g) ?? [];
  const numbers = [...rules.map(({ id }) => Number(id.slice(4))), ...dropped.map(Number)];
  expect(numbers.sort((left, right) => left - right)).toEqual(Array.from({ length: 81 }, (_, index) => index + 1));
  expect(text).toContain(`${DEFAULT_CHECK_LIMITS.pages} pages`);
});
