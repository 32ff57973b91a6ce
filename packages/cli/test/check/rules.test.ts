import { readFileSync } from 'node:fs';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, literal, namedNode, quad, rdf, tree } from '@ldes-live/rdf-stream';
import { createLiveServer, type LiveServer } from '@ldes-live/server';
import { reservedPort } from '@ldes-live/test-support/net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkStream } from '../../src/check/check.ts';
import { DEFAULT_CHECK_LIMITS } from '../../src/check/check-limits.ts';
import { exitCode } from '../../src/check/judge.ts';
import { rules } from '../../src/check/rules/rules.ts';
import { helpTexts } from '../../src/help-text.ts';
import { faults } from './faults/faults.ts';
import { FaultyServer } from './faulty-server.ts';
import { say } from './stream-fixture.ts';

describe('faults', () => {
  const QUICK = { pauseMs: 0, pushMs: 250 };
  const edge = () => ({ clock: Date.now, interrupted: new AbortController().signal });

  let server: FaultyServer;
  beforeEach(async () => {
    server = await new FaultyServer().listen();
  });
  afterEach(() => server.close());

  test('a stream that keeps every rule has no finding', async () => {
    const { findings, extent, evidence } = await checkStream(server.root, QUICK, edge());
    expect(findings).toEqual([]);
    expect(extent).toMatchObject({ pagesRead: 4, pagesKnown: 4 });
    expect(new Set(evidence.probes.map(({ kind }) => kind)).size).toBe(8);
    expect(evidence.push).toHaveLength(1);
  });

  test.each([
    ['the IRI of the stream', (s: FaultyServer) => `${s.root}#stream`],
    [
      'what redirects to the root',
      (s: FaultyServer) => {
        s.handles('/old', (response) => response.writeHead(301, { location: '/s' }).end());
        return `${s.base}/old`;
      },
    ],
    [
      'an overview with one view',
      (s: FaultyServer) => {
        s.says('/all', () => [say(`${s.root}#stream`, tree.view, s.root)]);
        return `${s.base}/all`;
      },
    ],
  ])('%s leads to the root', async (_, prepare) => {
    const { findings, evidence } = await checkStream(prepare(server), QUICK, edge());
    expect(findings).toEqual([]);
    expect(evidence.nodes[0]?.document.url).toBe(server.root);
    expect(evidence.nodes).toHaveLength(4);
  });

  test.each(faults)('%s is found by %s, and nothing else is', async (_, rule, plant) => {
    const planted = plant(server);
    const url = typeof planted === 'string' ? planted : server.root;
    const { findings } = await checkStream(url, QUICK, edge());
    const seen = findings.map(({ rule: { id }, observations }) => [id, observations]);
    expect(
      seen.map(([id]) => id),
      JSON.stringify(seen),
    ).toEqual([rule]);
  });

  test('a sealed page whose place another one has taken has not changed', async () => {
    server.says('/s/removed', () => [say(`${server.root}/removed`, rdf.type, tree.Node)]);
    server.ends('/s/p1', (answer, { times }) => {
      if (times >= 5) Object.assign(answer, { status: 307, body: '', fields: { location: `${server.root}/removed` } });
    });
    expect((await checkStream(server.root, QUICK, edge())).findings).toEqual([]);
    expect(server.log.map(({ url }) => url)).toContain('/s/removed');
  });

  test('every rule finds a planted fault', () => {
    const planted = new Set(faults.map(([, rule]) => rule));
    expect(rules.map(({ id }) => id).filter((id) => !planted.has(id))).toEqual([]);
    expect(new Set(faults.map(([name]) => name)).size).toBe(faults.length);
  });

  test('rules are numbered in order, once each', () => {
    expect(rules.map(({ id }) => id)).toEqual(rules.map((_, index) => `CHK-${index + 1}`));
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
        const predicts = members === 600;
        return {
          description,
          log,
          schedule: predicts ? schedule : () => ({ kind: 'unknown' }) as const,
        };
      }),
    );
    server = await createLiveServer({ publicUrl: base, streams, clock: Date.now, random: Math.random });
    await server.listen({ host: '127.0.0.1', port });
  });
  afterAll(() => server.close());

  test.each([
    ['a stream without members', 'of-0', 3],
    ['a stream of three pages', 'of-600', 5],
    ['a stream of two ranges', 'of-26000', 107],
    ['the latest state', 'of-600/latest', 1],
    ['the view by place', 'of-600/tiles', 1],
    ['an event stream by its IRI', 'of-600#stream', 5],
  ])('nothing is found on %s', async (_, path, least) => {
    const limits = { pauseMs: 0, pages: 12 };
    const { findings, extent } = await checkStream(`${base}${path}`, limits, {
      clock: Date.now,
      interrupted: new AbortController().signal,
    });
    expect(findings.map(({ rule: { id }, observations }) => [id, observations])).toEqual([]);
    expect(extent.pagesKnown).toBeGreaterThanOrEqual(Math.min(least, 12));
    expect(extent.stopped).toBeUndefined();
  });

  function draft(url: string, number: number, value: number) {
    const entity = `${url}/entities/${number}`;
    const quads = [quad(namedNode(entity), namedNode('http://example.org/value'), literal(String(value)))];
    return { kind: 'upsert', entity, origin: 'feed', fingerprint: String(value), quads } as const;
  }
});

const text = readFileSync(new URL('../../../../specs/check.md', import.meta.url), 'utf8');
const rows = [...text.matchAll(/^\| (CHK-\d+) +\| (\w+) +\| (.*?) +\| (.*?) +\|$/gm)].map(([, ...cells]) => cells);

test('the specification has every rule as it is checked, and no other', () => {
  expect(rows.length).toBeGreaterThan(25);
  expect(rows).toEqual(rules.map(({ id, severity, title, source }) => [id, severity, title, source]));
});

test('the specification and the help name the exit codes and the default of --pages', () => {
  const evidence = { iri: 'http://a/', way: [], knownNodes: 1, probes: [], push: [], refusals: [] };
  const nodes = [{}] as never;
  const finding = (severity: string) =>
    [{ rule: rules.find((rule) => rule.severity === severity), observations: [] }] as never;
  const codes = [
    exitCode({ ...evidence, nodes }, []),
    exitCode({ ...evidence, nodes }, finding('advice')),
    exitCode({ ...evidence, nodes }, finding('warning')),
    exitCode({ ...evidence, nodes }, finding('error')),
    exitCode({ ...evidence, nodes: [] }, []),
  ];
  expect(codes).toEqual([0, 0, 3, 1, 1]);
  for (const code of [0, 1, 2, 3]) expect(text).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'));
  expect(helpTexts.check).toContain(`(default: ${DEFAULT_CHECK_LIMITS.pages})`);
  expect(text).toContain(`${DEFAULT_CHECK_LIMITS.pages} pages`);
});
