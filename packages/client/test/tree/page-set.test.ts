import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/options.ts';
import type { TreeReading } from '../../src/tree/reading.ts';
import { BASE, httpOf, membersOf } from './model-publisher.ts';
import { DAY, IMMUTABLE, link, member, ROOT, relation, run, runOf, ScriptedPages, saved } from './scripted-pages.ts';

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
])('READ-19 by a reading %s, a page is dropped to which nothing leads any more', async (_, isResumed) => {
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
});

test.each([false, true])('READ-19 what is missing behind an immutable page is not lost: %s', async (isResumed) => {
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
});

function pageOf(name: string, hours: readonly number[], links: readonly string[] = []): string {
  const members = hours.map((hour) => member(`a${hour}`, `${DAY}0${hour}:00:00Z`));
  return [ROOT, ...members, ...links.map((to) => link(name, to))].join('\n');
}

test.each(['none', 'ascending'] as const)('READ-20 what came before a root moved on is read: %s', async (order) => {
  for (const isResumed of [false, true]) {
    // The root redirects to the newest of pages that lead to each other.
    const pages = new ScriptedPages({
      '/root': { to: '/p1' },
      '/p0': pageOf('p0', [1, 2], ['p1']),
      '/p1': pageOf('p1', [3], ['p0']),
    });
    let reading = await pages.open({ order });
    expect((await run(reading)).ids.sort()).toEqual(['a1', 'a2', 'a3']);
    // The newest page is full, and a newer one comes.
    pages.pages['/root'] = { to: '/p2' };
    pages.pages['/p1'] = pageOf('p1', [3, 4], ['p0', 'p2']);
    pages.pages['/p2'] = pageOf('p2', [5], ['p1']);
    if (isResumed) reading = await pages.open({ order, state: saved(reading) });
    expect((await run(reading)).ids.sort()).toEqual(['a4', 'a5']);
    expect((await run(reading)).ids).toEqual([]);
  }
});

test.each(['none', 'ascending'] as const)('READ-20 a state saved within a page loses nothing: %s', async (order) => {
  const pages = new ScriptedPages({ '/root': { to: '/p1' }, '/p1': pageOf('p1', [1, 2, 3]) });
  const reading = await pages.open({ order });
  const first = await membersOf(reading).next();
  expect(first.value).toMatchObject({ sequence: 1 });
  const state = saved(reading);
  pages.pages['/root'] = { to: '/p2' };
  pages.pages['/p2'] = pageOf('p2', [4], ['p1']);
  expect((await run(await pages.open({ order, state }))).ids.sort()).toEqual(['a2', 'a3', 'a4']);
});

test.each([
  ['READ-17 though what it redirects to is immutable', IMMUTABLE.headers],
  // It says nothing of the page to which the root redirects now.
  ['READ-17 though both pages have one entity tag', { etag: '"1"' }],
])('a root that redirects is asked for again, %s', async (_though, headers) => {
  const pages = new ScriptedPages({ '/root': { to: '/p1' }, '/p1': { text: pageOf('p1', [1]), headers } });
  const reading = await pages.open();
  expect((await run(reading)).end.finished).toBe(false);
  pages.pages['/root'] = { to: '/p2' };
  pages.pages['/p2'] = { text: pageOf('p2', [2], ['p1']), headers };
  expect((await run(reading)).ids).toEqual(['a2']);
});

test.each(['/root#stream', '/a/../root'])('READ-17 %s is no redirect to /root', async (path) => {
  const pages = { '/root': { text: pageOf('root', [1]), ...IMMUTABLE } };
  expect((await runOf(pages, {}, { url: BASE + path })).end.finished).toBe(true);
});

/** How often a request was given back when a list of so many pages without members had been read. */
async function refundsOf(emptyPages: number, last: string, limits = DEFAULT_LIMITS): Promise<number> {
  const pages: ScriptedPages['pages'] = { '/root': ROOT + link('root', 'p1') };
  for (let page = 1; page < emptyPages; page += 1) pages[`/p${page}`] = link(`p${page}`, `p${page + 1}`);
  pages[`/p${emptyPages}`] = last;
  const scripted = new ScriptedPages(pages);
  const http = httpOf(scripted);
  let refunds = 0;
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
])('READ-39 of %i empty pages, then "%s", limit %i, %i are refunded', async (pages, last, limit, refunds) => {
  expect(await refundsOf(pages, last, { ...DEFAULT_LIMITS, emptyPages: limit })).toBe(refunds);
});

test.each([
  ['none', ['/root', '/p', '/x', '/q']],
  ['ascending', ['/root', '/p', '/q', '/x']],
] as const)('pages that may hold as early members come as they are listed: order %s', async (order, asked) => {
  const pages = { '/root': ROOT + relation('p') + relation('q'), '/p': link('p', 'x'), '/q': '', '/x': '' };
  const { scripted } = await runOf(pages, { order }, { limits: { ...DEFAULT_LIMITS, pageRequests: 1 } });
  expect(scripted.requests).toEqual(asked);
});
