import { expect, test } from 'vitest';
import { checkTreeState } from '../../src/tree/tree-state.ts';
import { BASE } from './model-publisher.ts';
import { member, ROOT, relation, run, ScriptedPages } from './scripted-pages.ts';

const PAGE = { url: `${BASE}/p`, time: 0, sequence: [null, 5, 2] };
const STATE = {
  version: 1,
  runs: 1,
  sequence: 3,
  pages: [PAGE],
  parents: [],
  places: [1],
  done: '',
  recent: '',
  isPart: false,
};

test.each([
  ['nothing', undefined],
  ['another version', { ...STATE, version: 2 }],
  ['a page without URL', { ...STATE, pages: [{}] }],
  ['a page that is none', { ...STATE, pages: [null] }],
  ['a URL that is none', { ...STATE, pages: [{ ...PAGE, url: 'nonsense' }] }],
  ['a URL of a file', { ...STATE, pages: [{ ...PAGE, url: 'file:///etc/hosts' }] }],
  ['bounds that are none', { ...STATE, pages: [{ ...PAGE, time: 'x' }] }],
  ['bounds in words', { ...STATE, pages: [{ ...PAGE, time: ['a', 'b', 0] }] }],
  ['members that are none', { ...STATE, pages: [{ ...PAGE, contents: 5 }] }],
  ['an entity tag that is none', { ...STATE, pages: [{ ...PAGE, etag: {} }] }],
  ['a redirect to nowhere', { ...STATE, pages: [{ ...PAGE, target: 'nonsense' }] }],
  ['a parent that is none', { ...STATE, parents: [7] }],
  ['a place that is none', { ...STATE, places: ['x'] }],
  ['a count that is none', { ...STATE, runs: 'x' }],
  ['latest members that are none', { ...STATE, latest: 5 }],
])('READ-40 a state with %s is refused', (_, state) => {
  expect(() => checkTreeState(state)).toThrow(expect.objectContaining({ code: 'ERR_TREE_STATE_INVALID' }));
});

test('READ-40 a state as it was saved is taken', async () => {
  const pages = new ScriptedPages({
    '/root': ROOT + relation('p', 'LessThanRelation', '"2026-01-02T00:00:00Z"^^xsd:dateTime') + relation('q'),
    '/p': { text: member('a1', '2026-01-01T01:00:00Z'), headers: { etag: '"1"' } },
    '/q': { to: '/r' },
    '/r': `${member('b1', '2026-01-01T02:00:00Z')}<s> tree:member <c1> . <c1> ex:of <e-c> .`,
  });
  for (const from of ['start', 'now', 'latest']) {
    const reading = await pages.open({ from });
    const check = () => checkTreeState(JSON.parse(JSON.stringify(reading.state())));
    expect(check).not.toThrow();
    await run(reading);
    expect(check).not.toThrow();
  }
});
