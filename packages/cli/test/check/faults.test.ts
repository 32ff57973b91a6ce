import { tree } from '@ldes-live/rdf-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkStream } from '../../src/check/check.ts';
import { rules } from '../../src/check/rules/rules.ts';
import { faults } from './faults/faults.ts';
import { FaultyServer } from './faulty-server.ts';
import { say } from './stream-fixture.ts';

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

test('every rule finds a planted fault', () => {
  const planted = new Set(faults.map(([, rule]) => rule));
  expect(rules.map(({ id }) => id).filter((id) => !planted.has(id))).toEqual([]);
  expect(new Set(faults.map(([name]) => name)).size).toBe(faults.length);
});

test('rules are numbered in order, once each', () => {
  expect(rules.map(({ id }) => id)).toEqual(rules.map((_, index) => `CHK-${index + 1}`));
});
