import { expect, test } from 'vitest';
import { BASE } from './model-publisher.ts';
import { member, never, ROOT, run, ScriptedPages } from './scripted-pages.ts';

const DAY = '2026-01-01T';

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
  'READ-38 what came to a page before the root redirected to the next is read: order %s',
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
  'READ-38 a state saved within a page to which the root redirected loses nothing of it: order %s',
  async (order) => {
    const pages = new ScriptedPages({ '/root': { to: '/p1' }, '/p1': pageOf('p1', [1, 2, 3]) });
    const reading = await pages.open({ order });
    const first = await reading.run(never).next();
    expect(first.value).toMatchObject({ sequence: 1 });
    const state = saved(reading);
    pages.pages['/root'] = { to: '/p2' };
    pages.pages['/p2'] = pageOf('p2', [4], ['p1']);
    expect((await run(await pages.open({ order, state }))).ids.sort()).toEqual(['a2', 'a3', 'a4']);
  },
);

test('READ-38 while the root redirects to a page, that is not asked for by itself', async () => {
  const pages = redirecting();
  const reading = await pages.open();
  await run(reading);
  await run(reading);
  expect(pages.requests).not.toContain('/p1');
});

test('READ-38 a former target to which nothing leads is not asked for', async () => {
  const pages = new ScriptedPages({
    '/root': { to: '/t1' },
    '/t1': pageOf('root', [1]),
    '/t2': pageOf('root', [1, 2]),
  });
  const reading = await pages.open();
  await run(reading);
  pages.pages['/root'] = { to: '/t2' };
  expect((await run(reading)).ids).toEqual(['a2']);
  expect((await run(reading)).ids).toEqual([]);
  expect(new Set(pages.requests)).toEqual(new Set(['/root']));
});

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

test('READ-38 an entity tag that two pages have says nothing of the page to which the root redirects now', async () => {
  const headers = { etag: '"1"' };
  const pages = new ScriptedPages({ '/root': { to: '/p1' }, '/p1': { text: pageOf('p1', [1]), headers } });
  const reading = await pages.open();
  await run(reading);
  pages.pages['/root'] = { to: '/p2' };
  pages.pages['/p2'] = { text: pageOf('p2', [2], ['p1']), headers };
  expect((await run(reading)).ids).toEqual(['a2']);
});
