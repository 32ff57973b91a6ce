import { expect, test } from 'vitest';
import { HttpClient } from '../../src/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import { BASE, membersOf } from './model-publisher.ts';
import { member, ROOT, relation, run, ScriptedPages } from './scripted-pages.ts';

const DAY = '2026-01-01T';
const IMMUTABLE = { headers: { 'cache-control': 'public, max-age=604800, immutable' } };

/** Runs until one does not fail for a missing page; how many did. */
async function missing(reading: Awaited<ReturnType<ScriptedPages['open']>>): Promise<number> {
  for (let failed = 0; failed < 9; failed += 1) {
    try {
      await run(reading);
      return failed;
    } catch (error) {
      expect(error).toMatchObject({ details: { status: 404 } });
    }
  }
  return 9;
}

test.each([
  ['that goes on', false],
  ['that is gone on from its state', true],
])(
  'READ-19 by a reading %s, a page is dropped that was read and to which nothing leads any more',
  async (_, isResumed) => {
    for (const from of ['the root', 'a page that may change', 'a page that is done with'] as const) {
      const leads = '<mid> tree:relation [ a tree:Relation ; tree:node <p> ] .';
      const etag = { headers: { etag: '"1"' } };
      const pages = new ScriptedPages({
        '/root': { text: ROOT + relation(from === 'the root' ? 'p' : 'mid'), ...etag },
        '/mid': { text: leads, ...(from === 'a page that is done with' ? IMMUTABLE : etag) },
        '/p': member('a1', `${DAY}01:00:00Z`),
      });
      let reading = await pages.open();
      expect((await run(reading)).ids).toEqual(['a1']);
      const rootThen = { text: ROOT + relation('q'), headers: { etag: '"2"' } };
      const state = JSON.parse(JSON.stringify(reading.state()));
      pages.pages = { '/root': rootThen, '/q': member('b1', `${DAY}02:00:00Z`) };
      if (from === 'a page that may change') pages.pages['/mid'] = { text: '', headers: { etag: '"2"' } };
      if (isResumed) reading = await pages.open({ state });
      // What led to it may be missing as well.
      expect(await missing(reading)).toBeLessThanOrEqual(2);
      expect((await run(reading)).ids).toEqual([]);
      expect(pages.requests).toContain('/q');
      const asked = pages.requests.length;
      await run(reading);
      expect(pages.requests.slice(asked)).not.toContain('/p');
    }
  },
);

test.each([false, true])(
  'READ-19 a page that is missing where an immutable one leads to it is not lost: resumed %s',
  async (isResumed) => {
    const next = (to: string, from: string) => `<${from}> tree:relation [ a tree:Relation ; tree:node <${to}> ] .`;
    const pages = new ScriptedPages({
      '/root': { text: ROOT + relation('p0'), headers: { etag: '"1"' } },
      '/p0': { text: next('p1', 'p0') + member('a1', `${DAY}01:00:00Z`), ...IMMUTABLE },
      '/p1': { text: next('p2', 'p1') + member('a2', `${DAY}02:00:00Z`), ...IMMUTABLE },
    });
    let reading = await pages.open();
    await expect(run(reading)).rejects.toMatchObject({ details: { status: 404 } });
    if (isResumed) reading = await pages.open({ state: JSON.parse(JSON.stringify(reading.state())) });
    await expect(run(reading)).rejects.toMatchObject({ details: { status: 404 } });
    pages.pages['/p2'] = member('a3', `${DAY}03:00:00Z`);
    expect((await run(reading)).ids).toEqual(['a3']);
    expect((await run(reading)).ids).toEqual([]);
  },
);

function pageOf(name: string, hours: readonly number[], links: readonly string[] = []): string {
  const members = hours.map((hour) => member(`a${hour}`, `${DAY}0${hour}:00:00Z`));
  const relations = links.map((to) => `<${name}> tree:relation [ a tree:Relation ; tree:node <${to}> ] .`);
  return [ROOT, ...members, ...relations].join('\n');
}

/** A root that redirects to the newest of pages that lead to each other. */
function redirecting() {
  return new ScriptedPages({
    '/root': { to: '/p1' },
    '/p0': pageOf('p0', [1, 2], ['p1']),
    '/p1': pageOf('p1', [3], ['p0']),
  });
}

// The newest page is full, and a newer one comes.
function moveOn(pages: ScriptedPages): void {
  pages.pages['/root'] = { to: '/p2' };
  pages.pages['/p1'] = pageOf('p1', [3, 4], ['p0', 'p2']);
  pages.pages['/p2'] = pageOf('p2', [5], ['p1']);
}

const saved = (reading: Awaited<ReturnType<ScriptedPages['open']>>) => JSON.parse(JSON.stringify(reading.state()));

test.each(['none', 'ascending'] as const)(
  'READ-20 what came to a page before the root redirected to the next is read: order %s',
  async (order) => {
    for (const isResumed of [false, true]) {
      const pages = redirecting();
      let reading = await pages.open({ order });
      expect((await run(reading)).ids.sort()).toEqual(['a1', 'a2', 'a3']);
      moveOn(pages);
      if (isResumed) reading = await pages.open({ order, state: saved(reading) });
      expect((await run(reading)).ids.sort()).toEqual(['a4', 'a5']);
      expect((await run(reading)).ids).toEqual([]);
    }
  },
);

test.each(['none', 'ascending'] as const)(
  'READ-20 a state saved within a page to which the root redirected loses nothing of it: order %s',
  async (order) => {
    const pages = new ScriptedPages({ '/root': { to: '/p1' }, '/p1': pageOf('p1', [1, 2, 3]) });
    const reading = await pages.open({ order });
    const first = await membersOf(reading).next();
    expect(first.value).toMatchObject({ sequence: 1 });
    const state = saved(reading);
    pages.pages['/root'] = { to: '/p2' };
    pages.pages['/p2'] = pageOf('p2', [4], ['p1']);
    expect((await run(await pages.open({ order, state }))).ids.sort()).toEqual(['a2', 'a3', 'a4']);
  },
);

test('READ-38 a root that redirects is asked for again though what it redirects to is immutable', async () => {
  const pages = new ScriptedPages({
    '/root': { to: '/p1' },
    '/p1': { text: pageOf('p1', [1]), headers: { 'cache-control': 'immutable' } },
  });
  const reading = await pages.open();
  expect((await run(reading)).end.finished).toBe(false);
  pages.pages['/root'] = { to: '/p2' };
  pages.pages['/p2'] = pageOf('p2', [2], ['p1']);
  expect((await run(reading)).ids).toEqual(['a2']);
});

test.each(['/root#stream', '/a/../root'])('READ-38 %s is no redirect to /root', async (path) => {
  const pages = new ScriptedPages({
    '/root': { text: pageOf('root', [1]), headers: { 'cache-control': 'immutable' } },
  });
  const reading = await pages.open({}, { url: BASE + path });
  expect((await run(reading)).end.finished).toBe(true);
});

test('READ-17 an entity tag that two pages have says nothing of the page to which the root redirects now', async () => {
  const headers = { etag: '"1"' };
  const pages = new ScriptedPages({ '/root': { to: '/p1' }, '/p1': { text: pageOf('p1', [1]), headers } });
  const reading = await pages.open();
  await run(reading);
  pages.pages['/root'] = { to: '/p2' };
  pages.pages['/p2'] = { text: pageOf('p2', [2], ['p1']), headers };
  expect((await run(reading)).ids).toEqual(['a2']);
});

/** How often a request was given back when a list of so many pages without members had been read. */
async function refundsOf(emptyPages: number, last: string, limits = DEFAULT_LIMITS): Promise<number> {
  const next = (from: string, to: string) => `<${from}> tree:relation [ a tree:Relation ; tree:node <${to}> ] .`;
  const pages: ScriptedPages['pages'] = { '/root': ROOT + next('root', 'p1') };
  for (let page = 1; page < emptyPages; page += 1) pages[`/p${page}`] = next(`p${page}`, `p${page + 1}`);
  pages[`/p${emptyPages}`] = last;
  const scripted = new ScriptedPages(pages);
  let refunds = 0;
  const http = new HttpClient({
    fetch: scripted.fetch,
    clock: () => scripted.nowMs,
    sleep: () => new Promise(() => {}),
    headers: {},
    origin: BASE,
    limits: { ...DEFAULT_LIMITS, requestMs: 60_000 },
  });
  http.refund = () => {
    refunds += 1;
  };
  await run(await scripted.open({}, { http, limits }));
  return refunds;
}

// The root is the first without members.
const { emptyPages } = DEFAULT_LIMITS;

test.each([
  [emptyPages - 1, '', emptyPages, emptyPages],
  [emptyPages + 5, member('a1', '2026-01-01T01:00:00Z'), emptyPages, emptyPages + 1],
  [2, '', 3, 3],
  [3, '', 3, 3],
  [9, '', 1, 1],
])(
  'READ-39 of %i pages after the root that bring no member, then "%s", where %i may be empty, %i count as fruitful',
  async (pages, last, limit, refunds) => {
    expect(await refundsOf(pages, last, { ...DEFAULT_LIMITS, emptyPages: limit })).toBe(refunds);
  },
);
