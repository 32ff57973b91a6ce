import { expect, test } from 'vitest';
import { HttpClient } from '../../src/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import type { TreeReading } from '../../src/tree/reading.ts';
import { BASE, membersOf } from './model-publisher.ts';
import { DAY, IMMUTABLE, link, member, ROOT, relation, run, ScriptedPages, saved } from './scripted-pages.ts';

/** Runs until one does not fail for a missing page; how many did. */
async function missing(reading: TreeReading): Promise<number> {
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
      const leads = link('mid', 'p');
      const etag = { headers: { etag: '"1"' } };
      const pages = new ScriptedPages({
        '/root': { text: ROOT + relation(from === 'the root' ? 'p' : 'mid'), ...etag },
        '/mid': { text: leads, ...(from === 'a page that is done with' ? IMMUTABLE : etag) },
        '/p': member('a1', '01:00'),
      });
      let reading = await pages.open();
      expect((await run(reading)).ids).toEqual(['a1']);
      const rootThen = { text: ROOT + relation('q'), headers: { etag: '"2"' } };
      const state = saved(reading);
      pages.pages = { '/root': rootThen, '/q': member('b1', '02:00') };
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
    const pages = new ScriptedPages({
      '/root': { text: ROOT + relation('p0'), headers: { etag: '"1"' } },
      '/p0': { text: link('p0', 'p1') + member('a1', '01:00'), ...IMMUTABLE },
      '/p1': { text: link('p1', 'p2') + member('a2', '02:00'), ...IMMUTABLE },
    });
    let reading = await pages.open();
    await expect(run(reading)).rejects.toMatchObject({ details: { status: 404 } });
    if (isResumed) reading = await pages.open({ state: saved(reading) });
    await expect(run(reading)).rejects.toMatchObject({ details: { status: 404 } });
    pages.pages['/p2'] = member('a3', '03:00');
    expect((await run(reading)).ids).toEqual(['a3']);
    expect((await run(reading)).ids).toEqual([]);
  },
);

function pageOf(name: string, hours: readonly number[], links: readonly string[] = []): string {
  const members = hours.map((hour) => member(`a${hour}`, `${DAY}0${hour}:00:00Z`));
  return [ROOT, ...members, ...links.map((to) => link(name, to))].join('\n');
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
  const pages: ScriptedPages['pages'] = { '/root': ROOT + link('root', 'p1') };
  for (let page = 1; page < emptyPages; page += 1) pages[`/p${page}`] = link(`p${page}`, `p${page + 1}`);
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

test.each([
  ['none', ['/root', '/p', '/x', '/q']],
  ['ascending', ['/root', '/p', '/q', '/x']],
] as const)(
  'READ-31 pages that may hold as early members are asked for as they are listed: order %s',
  async (order, asked) => {
    const pages = new ScriptedPages({
      '/root': ROOT + relation('p') + relation('q'),
      '/p': link('p', 'x'),
      '/q': '',
      '/x': '',
    });
    await run(await pages.open({ order }, { limits: { ...DEFAULT_LIMITS, pageRequests: 1 } }));
    expect(pages.requests).toEqual(asked);
  },
);

test('READ-21 what is dated to come is handed out at the end of a run, and not waited for', async () => {
  const pages = new ScriptedPages({ '/root': ROOT + member('b1', '2030-01-01T00:00:00Z') });
  expect((await run(await pages.open({ order: 'ascending' }))).ids).toEqual(['b1']);
  expect(pages.requests).toEqual(['/root']);
});
