import { check, fc, size } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import { MemberMemory, RECENT_MEMBERS } from '../../src/tree/members.ts';
import { EVERYTHING } from '../../src/tree/order.ts';
import { TreePages } from '../../src/tree/pages.ts';
import { MOST_PASSES } from '../../src/tree/reading.ts';
import {
  checkTreeState,
  formatHashes,
  hashText,
  NumberSet,
  parseHashes,
  restorePages,
  SAVED_CONTENTS,
  savedPages,
} from '../../src/tree/saved-state.ts';
import { BASE, membersOf } from './model-publisher.ts';
import { at, link, member, ROOT, relation, run, ScriptedPages, saved } from './scripted-pages.ts';

const after = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
const members = (count: number, name = 'a') =>
  Array.from({ length: count }, (_, index) => member(`${name}${index}`, after(index))).join('');

/** Members of which no time is told. */
const timeless = (...names: string[]) =>
  names.map((name) => `<s> tree:member <${name}> . <${name}> ex:of <e> .`).join('');

test.each([
  [1000, 1000, true],
  [1000, 1001, false],
])('READ-20 of a set for %i numbers, the first is known after %i: %s', (limit, count, isKnown) => {
  const set = new NumberSet(limit);
  for (let number = 1; number <= count; number += 1) set.add(number);
  expect(set.has(1)).toBe(isKnown);
  expect(set.has(count)).toBe(true);
});

// Half of them for certain: the last before the older half is put aside.
test.each([
  [8, 4, 1],
  [8, 5, 2],
])('READ-20 of %i remembered, one again after %i others: %i times', async (limit, between, times) => {
  const pages = new ScriptedPages({
    '/root': `<s> tree:view <root> . ${['x', 'y', 'z'].map((name) => relation(name)).join('')}`,
    '/x': timeless('b0', 'b1', 'b2', 'a0'),
    '/y': timeless(...Array.from({ length: between }, (_, index) => `c${index}`)),
    '/z': timeless('a0'),
  });
  const limits = { ...DEFAULT_LIMITS, pageRequests: 1, rememberedMembers: limit };
  const { ids } = await run(await pages.open({}, { limits }));
  expect(ids.slice(0, 4)).toEqual(['b0', 'b1', 'b2', 'a0']);
  expect(ids.filter((id) => id === 'a0')).toHaveLength(times);
});

test.each([
  [RECENT_MEMBERS, false],
  [RECENT_MEMBERS + 1, true],
])('READ-20 of %i members that were handed out, a part only is remembered with their places: %s', (count, isPart) => {
  const memory = new MemberMemory(2);
  for (let place = 1; place <= count; place += 1) memory.place(place, place);
  const saved = memory.saved();
  expect(saved.places).toHaveLength(RECENT_MEMBERS);
  expect(saved.isPart).toBe(isPart);
  expect(memory.floor).toBe(isPart ? 2 : Number.NEGATIVE_INFINITY);
});

test.each([
  [SAVED_CONTENTS, true],
  [SAVED_CONTENTS + 1, false],
])('of a page of %i members, they are saved: %s', async (count, isSaved) => {
  const pages = new ScriptedPages({ '/root': { text: ROOT + members(count), headers: { etag: '"1"' } } });
  const reading = await pages.open();
  expect((await run(reading)).ids).toHaveLength(count);
  const state = reading.state();
  expect(state.pages.map(({ contents, etag }) => [contents?.length, etag])).toEqual([
    isSaved ? [SAVED_CONTENTS * 9, '"1"'] : [undefined, undefined],
  ]);
  // Those that are not saved are known by their places.
  expect((await run(await pages.open({ state: JSON.parse(JSON.stringify(state)) }))).ids).toEqual([]);
});

test.each([
  [MOST_PASSES, true],
  [MOST_PASSES + 1, false],
])('READ-21 members that come in %i passes in a row are waited for: %s', async (passes, isInOrder) => {
  const pages = new ScriptedPages({ '/root': ROOT + relation('p') });
  let pass = 0;
  // Each pass brings a member that is newer than its beginning, which waits.
  Object.defineProperty(pages.pages, '/p', {
    get() {
      pages.nowMs += 1000;
      pass += 1;
      const come = Array.from({ length: Math.min(pass, passes) }, (_, index) =>
        member(`n${index}`, times[index] ?? ''),
      );
      times.push(new Date(pages.nowMs).toISOString());
      return ROOT + come.join('') + (pass > passes ? member('late', times.at(-1) ?? '') : '');
    },
  });
  const times = [new Date(pages.nowMs).toISOString()];
  const reading = await pages.open({ order: 'ascending' });
  const first = await run(reading);
  expect(pass).toBe(MOST_PASSES + 1);
  expect(first.ids.includes('late')).toBe(isInOrder);
});

test.each(['none', 'ascending'] as const)('READ-20 a page found late brings all of its own: %s', async (order) => {
  const many = Array.from({ length: RECENT_MEMBERS + 50 }, (_, index) => member(`b${index}`, after(10 + index)));
  const pages = new ScriptedPages({
    '/root': ROOT + relation('A1') + relation('B1'),
    '/A1': member('a1', after(1)),
    '/B1': many.join(''),
  });
  const reading = await pages.open({ order });
  expect((await run(reading)).ids).toHaveLength(many.length + 1);
  pages.pages['/A1'] = member('a1', after(1)) + link('A1', 'A2');
  pages.pages['/A2'] = [5, 6, 7].map((second) => member(`a${second}`, after(second))).join('');
  expect((await run(reading)).ids).toEqual(['a5', 'a6', 'a7']);
  expect((await run(reading)).ids).toEqual([]);
});

test.each([4, 5])('READ-20 of %i members a memory of 4 knows whether it has forgotten one', (count) => {
  const memory = new MemberMemory(4);
  for (let hash = 1; hash <= count; hash += 1) memory.add(hash);
  expect(memory.hasForgotten).toBe(count > 4);
});

test('READ-20 a state saved while a page of many members is read again has none of them handed out again', async () => {
  const listed = (length: number) => timeless(...Array.from({ length }, (_, index) => `a${index}`));
  const count = RECENT_MEMBERS + 50;
  const pages = new ScriptedPages({ '/root': `<s> tree:view <root> . ${relation('p')}`, '/p': listed(count) });
  const reading = await pages.open();
  expect((await run(reading)).ids).toHaveLength(count);
  pages.pages['/p'] = listed(count + 2);
  expect((await membersOf(reading).next()).value).toMatchObject({ sequence: count + 1 });
  const state = saved(reading);
  expect((await run(await pages.open({ state }))).ids).toEqual([`a${count + 1}`]);
});

// The second run begins after so many of 20 pages, or of what is on one page.
test.each([
  ['none', 20, 20],
  ['ascending', 20, 20],
  ['none', 3, 20],
  ['ascending', 10, 20],
  ['none', 14, 1],
] as const)(
  'READ-20 a state saved within a run, by order %s, after %i of 20 parts on %i pages',
  async (order, first, on) => {
    const pages = new ScriptedPages({});
    const put = (length: number) => {
      const parts = Array.from({ length }, (_, part) =>
        Array.from({ length: 375 }, (_, index) => member(`m${part}-${index}`, after(part * 375 + index))).join(''),
      );
      const links = parts.map((_, part) => relation(`p${part}`));
      pages.pages = { '/root': ROOT + (on === 1 ? parts : links).join('') };
      for (const [part, text] of parts.entries()) pages.pages[`/p${part}`] = text;
    };
    put(first);
    let reading = await pages.open({ order });
    const ids: string[] = [];
    if (first < 20) ids.push(...(await run(reading)).ids);
    put(20);
    for (const stop of [6_800, 7_200]) {
      for await (const { id } of membersOf(reading)) if (ids.push(id.replace(`${BASE}/`, '')) === stop) break;
      reading = await pages.open({ order, state: saved(reading) });
    }
    ids.push(...(await run(reading)).ids);
    expect([ids.length, new Set(ids).size]).toEqual([7_500, 7_500]);
  },
);

test('READ-20 a state saved between members without a time has none of them handed out again', async () => {
  const pages = new ScriptedPages(ROOT + timeless('a1', 'b1'));
  const reading = await pages.open();
  expect((await membersOf(reading).next()).value).toMatchObject({ id: `${BASE}/a1` });
  expect((await run(await pages.open({ state: saved(reading) }))).ids).toEqual(['b1']);
});

test('the bounds of a page are restored as they were', async () => {
  const pages = new ScriptedPages(ROOT);
  const state = saved(await pages.open());
  const choice = { afterMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY };
  const before = new TreePages('root', choice);
  const bounds = {
    time: { ...EVERYTHING, low: 1, isZoneless: true },
    sequence: { ...EVERYTHING, high: 5, isHighOpen: true },
  };
  before.add(`${BASE}/p`, bounds, 'unread');
  const after = new TreePages('root', choice);
  restorePages({ ...state, ...savedPages(before, true, new Set()) }, after);
  expect([...after.known]).toMatchObject([{ bounds }]);
});

test('a set knows what was added to it, and nothing else, until its limit', () => {
  const numbers = fc.array(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { maxLength: 3000 });
  check(
    fc.property(numbers, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (added, other) => {
      const set = new NumberSet(6000);
      for (const number of added) set.add(number);
      expect(added.every((number) => set.has(number))).toBe(true);
      expect(set.has(other)).toBe(added.includes(other));
    }),
  );
});

test('texts that are alike but for a number have hashes of their own', () => {
  const length = size({ gate: 100_000, night: 300_000 });
  expect(new Set(Array.from({ length }, (_, index) => hashText(`http://a.example/m/${index}`))).size).toBe(length);
});

test('hashes are read as they were written', () => {
  const hashes = fc.array(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
  check(
    fc.property(hashes, fc.string(), (some, text) => {
      const all = [...some, hashText(text)];
      expect(parseHashes(formatHashes(all))).toEqual(all);
    }),
  );
});

const PAGE = { url: `${BASE}/p`, time: 0, sequence: [null, 5, 2] };
const COUNTS = { version: 1, runs: 1, sequence: 3 };
const STATE = { ...COUNTS, pages: [PAGE], parents: [], places: [1], done: '', recent: '', isPart: false };

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
])('a state with %s is refused', (_, state) => {
  expect(() => checkTreeState(state)).toThrow(expect.objectContaining({ code: 'ERR_TREE_STATE_INVALID' }));
});

test('a state as it was saved is taken', async () => {
  const pages = new ScriptedPages({
    '/root': ROOT + relation('p', 'LessThanRelation', at('2026-01-02T00:00:00Z')) + relation('q'),
    '/p': { text: member('a1', '01:00'), headers: { etag: '"1"' } },
    '/q': { to: '/r' },
    '/r': member('b1', '02:00') + timeless('c1'),
  });
  for (const from of ['start', 'now', 'latest']) {
    const reading = await pages.open({ from });
    const check = () => checkTreeState(saved(reading));
    expect(check).not.toThrow();
    await run(reading);
    expect(check).not.toThrow();
  }
});
