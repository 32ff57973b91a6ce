/* Trees as publishers lay them out, over HTTP and by the public client: as they stand, and in order. */
import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveClient, type FollowOptions } from '../../src/index.ts';
import { BASE, PREFIXES } from './model-publisher.ts';
import { IMMUTABLE, link, member, ROOT, type ScriptedPage } from './scripted-pages.ts';

interface Layout {
  readonly pages: Readonly<Record<string, ScriptedPage | string>>;
  /** The members, by their time. */
  readonly expected: string;
  /** @defaultValue `/root` */
  readonly entry?: string;
  readonly request?: Pick<FollowOptions, 'after' | 'before'>;
  /** Paths that must not be asked for. */
  readonly unasked?: readonly string[];
  /** Whether no page can change any more, so that the reading ends. */
  readonly isFinished?: boolean;
}

/** Serves pages on loopback, at its own address in place of {@link BASE}. */
async function serve(given: Layout['pages']) {
  const pages = { ...given };
  const asked: string[] = [];
  const server = await httpServer((request, response) => {
    const path = `${request.url}`;
    const base = server.url.replace(/\/$/, '');
    asked.push(path);
    const page = pages[path] ?? { status: 404 };
    const {
      text = '',
      type = 'text/turtle',
      to,
      headers,
      ...stated
    } = typeof page === 'string' ? { text: page } : page;
    const status = stated.status ?? (to ? 302 : 200);
    response.writeHead(status, { 'content-type': type, ...headers, ...(to && { location: to }) });
    response.end(((type === 'text/turtle' ? PREFIXES : '') + text).replaceAll(BASE, base));
  });
  onTestFinished(() => server.close());
  return { pages, asked, base: server.url.replace(/\/$/, '') };
}

const literal = (date: string) => `"${date}T00:00:00Z"^^xsd:dateTime`;
const bound = (from: string, to: string, type: string, value: string) =>
  `<${from}> tree:relation [ a tree:${type}Relation ; tree:node <${to}> ; tree:path ex:at ; tree:value ${value} ] .\n`;
const span = (from: string, to: string, low: string, high: string) =>
  bound(from, to, 'GreaterThanOrEqualTo', literal(low)) + bound(from, to, 'LessThan', literal(high));
/** Members of a day, an hour apart from 6 o'clock on. */
const day = (date: string, names: string) =>
  names
    .split(' ')
    .map((name, at) => member(name, `${date}T0${at + 6}:00:00Z`))
    .join('');

const OVERVIEW = '<s> tree:view <a> ; ldes:timestampPath ex:at ; ldes:versionOfPath ex:of .\n';

/** Pages that lead on and back; each may state what the overview does. */
const line = (stated: string): Layout => ({
  entry: '/s',
  pages: {
    '/s': OVERVIEW,
    '/a': {
      text: stated + day('2026-03-01', 'a1 a2') + bound('a', 'b', 'GreaterThanOrEqualTo', literal('2026-03-02')),
      ...IMMUTABLE,
    },
    '/b':
      `${stated}<b> ldes:immutable true .${day('2026-03-02', 'b2 b1')}` +
      bound('b', 'a', 'LessThan', literal('2026-03-02')) +
      bound('b', 'c', 'GreaterThan', literal('2026-03-03')),
    '/c': stated + day('2026-03-03', 'c1 c2') + bound('c', 'b', 'LessThan', literal('2026-03-03')),
  },
  expected: 'a1 a2 b2 b1 c1 c2',
});

const CALENDAR = {
  '/root': ROOT + span('root', '2026', '2026-01-01', '2027-01-01') + span('root', '2025', '2025-01-01', '2026-01-01'),
  '/2025': { text: span('2025', '2025-12-31', '2025-12-31', '2026-01-01'), ...IMMUTABLE },
  '/2026': span('2026', '2026-02', '2026-02-01', '2026-03-01') + span('2026', '2026-01', '2026-01-01', '2026-02-01'),
  '/2026-01':
    span('2026-01', '2026-01-02', '2026-01-02', '2026-01-03') +
    span('2026-01', '2026-01-01', '2026-01-01', '2026-01-02'),
  '/2026-02': span('2026-02', '2026-02-10', '2026-02-10', '2026-02-11'),
  '/2025-12-31': { text: day('2025-12-31', 'a1 a2'), ...IMMUTABLE },
  '/2026-01-01': day('2026-01-01', 'b1 b2'),
  '/2026-01-02': day('2026-01-02', 'c1 c2 c3'),
  '/2026-02-10': day('2026-02-10', 'd1 d2'),
};

const layouts: Readonly<Record<string, Layout>> = {
  'a line, each page of which says what the stream is': line(OVERVIEW),
  'a line, of which only the overview says what the stream is': line(''),
  'a circle: a page that leads to itself, one that leads to the root, one that is linked twice': {
    pages: {
      '/root': {
        text: ROOT + day('2026-03-01', 'a1') + link('root', 'root') + link('root', 'p') + link('root', 'q'),
        ...IMMUTABLE,
      },
      '/p': { text: day('2026-03-02', 'b1') + link('p', 'q') + link('p', 'root'), ...IMMUTABLE },
      '/q': { text: day('2026-03-03', 'c1') + link('q', 'p'), ...IMMUTABLE },
    },
    expected: 'a1 b1 c1',
    isFinished: true,
  },
  'a calendar: years, months, days, two bounds to a node': { pages: CALENDAR, expected: 'a1 a2 b1 b2 c1 c2 c3 d1 d2' },
  // Both bounds of a node have to hold: each alone would let more pages in.
  'a calendar, of which two days are asked for': {
    pages: CALENDAR,
    expected: 'b1 b2 c1 c2 c3',
    request: { after: '2026-01-01T00:00:00Z', before: '2026-01-03T00:00:00Z' },
    unasked: ['/2025', '/2025-12-31', '/2026-02', '/2026-02-10'],
  },
  'a calendar, of which an hour is asked for': {
    pages: CALENDAR,
    expected: 'c2',
    request: { after: '2026-01-02T06:30:00Z', before: '2026-01-02T08:00:00Z' },
    unasked: ['/2025', '/2026-01-01', '/2026-02'],
  },
  'bounds that are years, months, days, and hours that are no dateTime': {
    pages: {
      '/root': ROOT + bound('root', 'y', 'InBetween', '"2026Z"^^xsd:gYear'),
      '/y':
        bound('y', 'm3', 'InBetween', '"2026-03+00:00"^^xsd:gYearMonth') +
        bound('y', 'm2', 'InBetween', '"2026-02Z"^^xsd:gYearMonth'),
      '/m2':
        bound('m2', 'd26', 'InBetween', '"2026-02-26Z"^^xsd:date') +
        bound('m2', 'd25', 'InBetween', '"2026-02-25Z"^^xsd:date'),
      '/d26': bound('d26', 'h7', 'InBetween', '"2026-02-26T07Z"') + bound('d26', 'h6', 'InBetween', '"2026-02-26T06Z"'),
      '/d25': day('2026-02-25', 'a1 a2'),
      '/h6': member('b1', '2026-02-26T06:10:00Z'),
      '/h7': member('c1', '2026-02-26T07:10:00Z'),
      '/m3': day('2026-03-25', 'd1'),
    },
    expected: 'a1 a2 b1 c1 d1',
  },
  'redirects of the root, so that its IRIs are relative to where it leads, and of pages': {
    entry: '/old/root',
    pages: {
      '/old/root': { to: '../new/entry', status: 303 },
      '/new/entry': { to: '/new/root' },
      '/new/root': {
        type: 'application/trig',
        text: `${PREFIXES.replace(/^.*\n/, '')}<../s> tree:view <> ; ldes:timestampPath ex:at ; tree:member <../a1> .
          <> tree:relation [ tree:node <../old/p?page=2> ], [ tree:node <../old/q> ] .
          <../a1> ex:at "2026-03-01T06:00:00Z"^^xsd:dateTime .`,
      },
      '/old/p?page=2': { to: '../moved/p', status: 301 },
      '/old/q': { to: '/moved/q', status: 307 },
      '/moved/p': day('2026-03-02', 'b1') + link('moved/p', 'old/r'),
      '/moved/q': day('2026-03-03', 'c1'),
      '/old/r': { to: '../moved/r', status: 308 },
      '/moved/r': day('2026-03-04', 'd1'),
    },
    expected: 'a1 b1 c1 d1',
  },
  'members that stand on two pages, and twice on one': {
    pages: {
      '/root': `${ROOT}${day('2026-03-01', 'a1 a2')}<s> tree:member <a1> .${link('root', 'p')}${link('root', 'q')}`,
      '/p': day('2026-03-01', 'a1 a2 a3'),
      '/q': day('2026-03-01', 'a1 a2 a3 a4'),
    },
    expected: 'a1 a2 a3 a4',
  },
  'shapes with paths of their own, of this document and of another': {
    pages: {
      '/root': `${ROOT}${day('2026-03-01', 'a1')}<s> tree:shape <shape>, [ sh:targetClass ex:Reading ;
        sh:property [ sh:path ex:at ; sh:datatype xsd:dateTime ], [ sh:path ex:of ; sh:node [ sh:targetClass ex:E ] ] ] .`,
    },
    expected: 'a1',
    unasked: ['/shape'],
  },
};

const cases = Object.keys(layouts).flatMap((name) => [['none', name] as const, ['ascending', name] as const]);

test.each(cases)('READ-20, READ-21 each member once, by order %s, of %s', async (order, name) => {
  const { entry = '/root', pages, request, unasked = [], isFinished = false, expected } = layouts[name] as Layout;
  const { base, asked } = await serve(pages);
  const leave = new AbortController();
  const { signal } = leave;
  const follower = createLiveClient({ mal: 60 }).follow(base + entry, { from: 'start', order, signal, ...request });
  const left = new Error('read whole');
  if (!isFinished) follower.on('caught-up', () => leave.abort(left));
  const read: string[] = [];
  const reading = async () => {
    for await (const { member } of follower) read.push(`${member?.id.slice(base.length + 1)}`);
  };
  const end = await reading().catch((error) => error);
  // The end of what was asked for may have passed: then nothing can come either.
  if (request === undefined || end !== undefined) expect(end).toBe(isFinished ? undefined : left);
  expect(order === 'none' ? read.toSorted().join(' ') : read.join(' ')).toBe(
    order === 'none' ? expected.split(' ').toSorted().join(' ') : expected,
  );
  for (const path of unasked) expect(asked).not.toContain(path);
  // Nothing changes within a run.
  expect(asked).toHaveLength(new Set(asked).size);
});

test.each(['none', 'ascending'] as const)('READ-13 what changes is read again, by order %s', async (order) => {
  const { base, asked, pages } = await serve(line('').pages);
  const follower = createLiveClient({ mal: 0.2 }).follow(`${base}/s`, { from: 'start', order });
  const off = follower.on('caught-up', () => {
    off();
    pages['/c'] = `${pages['/c']}${day('2026-03-04', 'd1 d2')}`;
  });
  const read: string[] = [];
  for await (const { member } of follower) {
    read.push(`${member?.id.slice(base.length + 1)}`);
    if (read.length === 8) break;
  }
  expect(read.slice(6)).toEqual(['d1', 'd2']);
  const times = (path: string) => asked.filter((one) => one === path).length;
  expect([times('/a'), times('/b')]).toEqual([1, 1]);
  expect(times('/c')).toBeGreaterThan(1);
});
