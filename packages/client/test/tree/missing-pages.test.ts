import { expect, test } from 'vitest';
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
