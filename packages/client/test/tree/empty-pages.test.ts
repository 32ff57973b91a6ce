import { expect, test } from 'vitest';
import { HttpReader } from '../../src/http/http-reader.ts';
import { MOST_EMPTY_PAGES } from '../../src/tree/tree-reading.ts';
import { BASE } from './model-publisher.ts';
import { member, ROOT, run, ScriptedPages } from './scripted-pages.ts';

/** How often a request was given back when a list of so many pages without members had been read. */
async function refundsOf(emptyPages: number, last: string): Promise<number> {
  const next = (from: string, to: string) => `<${from}> tree:relation [ a tree:Relation ; tree:node <${to}> ] .`;
  const pages: ScriptedPages['pages'] = { '/root': ROOT + next('root', 'p1') };
  for (let page = 1; page < emptyPages; page += 1) pages[`/p${page}`] = next(`p${page}`, `p${page + 1}`);
  pages[`/p${emptyPages}`] = last;
  const scripted = new ScriptedPages(pages);
  let refunds = 0;
  const http = new HttpReader({
    fetch: scripted.fetch,
    clock: () => scripted.nowMs,
    sleep: () => new Promise(() => {}),
    headers: {},
    origin: BASE,
    limitBytes: 1e7,
    limitMs: 60_000,
  });
  http.refund = () => {
    refunds += 1;
  };
  await run(await scripted.open({}, { http }));
  return refunds;
}

// The root is the first without members.
test.each([
  [MOST_EMPTY_PAGES - 1, '', MOST_EMPTY_PAGES],
  [MOST_EMPTY_PAGES + 5, member('a1', '2026-01-01T01:00:00Z'), MOST_EMPTY_PAGES + 1],
])(
  'READ-39 of %i pages after the root that bring no member, then "%s", %i count as fruitful',
  async (pages, last, refunds) => {
    expect(await refundsOf(pages, last)).toBe(refunds);
  },
);
