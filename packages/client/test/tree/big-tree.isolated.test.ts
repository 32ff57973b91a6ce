import { setImmediate } from 'node:timers/promises';
import { ldes, literal, namedNode, quad, tree, xsd } from '@ldes-live/rdf-stream';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { readRetention } from '../../src/tree/entry.ts';
import { orderSpan, relationInterval, UNBOUNDED } from '../../src/tree/order.ts';
import { PageIndex, readNode } from '../../src/tree/page.ts';
import { currentAt, type Page, planRun, TreePages } from '../../src/tree/pages.ts';
import { restorePages, savedPages } from '../../src/tree/saved-state.ts';
import { clientOf, reading, take } from '../support/setup-origin.ts';
import { BASE } from './model-publisher.ts';
import { ScriptedPages } from './scripted-pages.ts';

// More than a function takes arguments: 125,000 in a process, and four times as many in a thread, so this is none.
const MANY = 150_000;
const many = <Value>(make: (at: number) => Value) => Array.from({ length: MANY }, (_, at) => make(at));

test('READ-25 a look at very many pages is planned', () => {
  const heads = many((at) => ({ sentMs: 100_000 + at, ageMs: 0, freshUntilMs: 400_000 }));
  expect(currentAt(heads)).toBe(100_000);
  const { atMs, lagBoundMs } = planRun({ heads, malMs: 600_000, readMs: 500, clockOffsetMs: 0, phase: 0.5 });
  expect(atMs).toBeGreaterThanOrEqual(400_000);
  expect(lagBoundMs).toBeLessThanOrEqual(600_000);
});

test('READ-12 a relation may have very many values', () => {
  const values = many((at) => orderSpan(literal(`${at}`, `${xsd.dateTime.replace('dateTime', 'integer')}`))!);
  expect(relationInterval('https://w3id.org/tree#InBetweenRelation', values)).toMatchObject({ low: 0, high: MANY - 1 });
});

test('very many pages with very many members are restored', () => {
  const choice = { afterMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY };
  const pages = new TreePages('root', choice);
  pages.add('root', UNBOUNDED, 'open', { contents: many((at) => at + 1) });
  for (let at = 0; at < MANY; at += 1) pages.add(`p${at}`, UNBOUNDED, 'unread', { parent: 'root' });
  const saved = savedPages(pages, false, new Set());
  const restored = new TreePages('root', choice);
  const state = {
    version: 1,
    runs: 1,
    sequence: 0,
    done: '',
    recent: '',
    places: [],
    isPart: false,
    ...saved,
  } as const;
  expect(restorePages(state, restored)).toHaveLength(MANY);
  expect([...restored.known]).toHaveLength(MANY + 1);
  expect(saved.parents).toEqual(['root']);
});

const root = namedNode('http://example.org/root');
const path = namedNode('http://example.org/at');

test('READ-10 a page may have very many relations, alike or not', async () => {
  const index = await PageIndex.of(
    many((at) => quad(root, namedNode(tree.relation), namedNode(`http://example.org/r${at % 2}`))).concat(
      ['r0', 'r1'].flatMap((name) => [
        quad(
          namedNode(`http://example.org/${name}`),
          namedNode(tree.node),
          namedNode(`http://example.org/${name}-page`),
        ),
        quad(namedNode(`http://example.org/${name}`), namedNode(tree.path), path),
      ]),
    ),
    root.value,
  );
  const context = { timestampPath: undefined, sequencePath: undefined };
  expect((await readNode(index, [root.value], context)).links).toHaveLength(2);
});

test('READ-4 a stream may state very many policies', async () => {
  const policies = many((at) => namedNode(`http://example.org/policy${at}`));
  const quads = policies.map((policy, at) => quad(policy, namedNode(ldes.versionAmount), literal(`${at}`)));
  expect(readRetention(policies, await PageIndex.of(quads, root.value))).toEqual({ versionAmount: MANY - 1 });
});

const link = (at: number) => [
  quad(root, namedNode(tree.relation), namedNode(`urn:r${at}`)),
  quad(namedNode(`urn:r${at}`), namedNode(tree.node), namedNode(`http://example.org/${at}`)),
];

test('others have their turn while a long page is indexed, read and handed out', async () => {
  const turns: Record<string, number> = {};
  const during = async <Result>(name: string, work: Result) => {
    let isOver = false;
    const working = Promise.resolve(work).finally(() => {
      isOver = true;
    });
    for (turns[name] = 0; !isOver; turns[name] += 1) await setImmediate();
    return await working;
  };
  const listed = many((at) => `<s> tree:member <m${at}> .\n`).join('');
  const { fetch } = new ScriptedPages(`<s> tree:view <root> .\n${listed}`);
  const follower = clientOf({ time: new VirtualTime({ waits: 'at once' }) }, { fetch }).follow(`${BASE}/root`);
  const changes = reading(follower);
  await take(changes, 1);
  const index = await during('indexed', PageIndex.of(many(link).flat(), root.value));
  const { links } = await during(
    'read',
    readNode(index, [root.value], { timestampPath: undefined, sequencePath: undefined }),
  );
  const pages = new TreePages('root', { afterMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY });
  pages.add('root', UNBOUNDED, 'unread');
  await during('discovered', pages.discover(links, pages.take() as Page));
  await during('handed out', take(changes, MANY - 1));
  // Other work that lasts for one turn of the loop may come between.
  expect(Object.entries(turns).filter(([, count]) => count <= 2)).toEqual([]);
  expect([...pages.known]).toHaveLength(MANY + 1);
});
