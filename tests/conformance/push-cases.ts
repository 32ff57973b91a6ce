import type { ConformanceCase } from './conformance-case.ts';

const OPENED = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  incremental: '?1',
  'ldes-cursor': /^[a-z0-9]+-\d+$/,
  link: /rel="current".*rel="archives"|rel="archives".*rel="current"/,
};
// An event with the id that it has, and the members of it.
const UPDATE = 'event: update\nid: {epoch}-\\d+\ndata: .*"tree:member".*?\n\n';
const GAP = 'event: gap\nid: {epoch}-\\d+\ndata: [^\n]*"latest":"{latest}"[^\n]*\n\n';
const STATE = 'event: conflated\ndata: [^\n]*"from":"{epoch}-0"[^\n]*\n\n';

type Going = readonly [id: string, cites: string, says: string, query: string, stream: string, cursor?: string];

// Where a stream goes on, by its query.
const GOING_ON: readonly Going[] = [
  ['PSH-20', 'PUSH-4', 'after a cursor come the commits that follow', '?from={before}', UPDATE, '{before}'],
  ['PSH-21', 'PUSH-4', 'a cursor within a commit is as good as any', '?from={within}', UPDATE, '{within}'],
  ['PSH-22', 'PUSH-7', 'another life of the log is a gap', '?from=otherlife-3', GAP],
  ['PSH-23', 'PUSH-7', 'what lies past the head is a gap', '?from={epoch}-9007199254740991', GAP],
  ['PSH-24', 'PUSH-56 PUSH-60', 'the whole state comes first where it is asked for', '?from=latest', STATE],
  ['PSH-25', 'PUSH-60', 'the last event of a state has its cursor', '?from=latest', `${STATE}.*${UPDATE}`],
  [
    'PSH-26',
    'PUSH-20 PUSH-56',
    'the state of one entity says what it is about',
    '?from=latest&entity={asked}',
    `${STATE}event: update\n.*{entity}.*\n\n`,
  ],
  [
    'PSH-27',
    'PUSH-20 PUSH-60',
    'a state that does not concern a reader is a cursor',
    '?from=latest&entity=http://example.org/none',
    `${STATE}id: {epoch}-\\d+\n\n`,
  ],
];

// What an `Accept-Encoding` field gets.
const CODED: readonly (readonly [id: string, accepts: string, encoding: string | RegExp | null])[] = [
  ['PSH-40', 'gzip', 'gzip'],
  ['PSH-41', 'gzip, deflate, br, zstd', /^(?:gzip|zstd)$/],
  ['PSH-42', 'identity', null],
  ['PSH-43', '', null],
  ['PSH-44', 'gzip;q=0', null],
  ['PSH-45', 'br, deflate', null],
  ['PSH-46', 'identity;q=0, gzip;q=0.5', 'gzip'],
];

const MALFORMED: readonly (readonly [id: string, says: string, query: string, code: string])[] = [
  ['PSH-60', 'an entity that is no absolute IRI', '?entity=1', 'ERR_NARROWING_MALFORMED'],
  ['PSH-61', 'a type that is no absolute IRI', '?type=', 'ERR_NARROWING_MALFORMED'],
  ['PSH-62', 'a box of three numbers', '?bbox=1,2,3', 'ERR_NARROWING_MALFORMED'],
  ['PSH-63', 'a box with its south above its north', '?bbox=3,52,4,51', 'ERR_NARROWING_MALFORMED'],
  ['PSH-64', 'a box beyond the poles', '?bbox=3,51,4,91', 'ERR_NARROWING_MALFORMED'],
  ['PSH-65', 'a box that is no number', '?bbox=3,51,4,north', 'ERR_NARROWING_MALFORMED'],
  ['PSH-66', 'a cursor with leading zeros', '?from={epoch}-007', 'ERR_CURSOR_MALFORMED'],
  ['PSH-67', 'one malformed value among good ones', '?entity={asked}&entity=1', 'ERR_NARROWING_MALFORMED'],
  ['PSH-68', 'a parameter of another name beside good ones', '?from={head}&since=1', 'ERR_QUERY_UNKNOWN'],
];

/** How a push stream begins: what it says of itself, where it goes on, and what is refused. */
export const pushCases: readonly ConformanceCase[] = [
  {
    id: 'PSH-1',
    cites: 'PUSH-1 PUSH-8 PUSH-10',
    says: 'a stream is named as what it is, and begins at once with a wait',
    url: '{events}',
    expected: { status: 200, headers: { ...OPENED, 'content-encoding': null }, stream: '^retry: \\d+\n' },
  },
  ...['text/event-stream', 'text/*', '*/*', 'text/html, text/event-stream;q=0.1'].map(
    (accept, index): ConformanceCase => ({
      id: `PSH-${index + 2}`,
      cites: 'PUSH-1',
      says: `${accept} takes a stream`,
      url: '{events}',
      headers: { accept },
      expected: { status: 200, headers: { 'content-type': 'text/event-stream' } },
    }),
  ),
  {
    id: 'PSH-10',
    cites: 'PUSH-1 DOC-18',
    says: 'HEAD has the fields of a stream, and no content',
    url: '{events}',
    method: 'HEAD',
    expected: { status: 200, headers: OPENED, content: 'none' },
  },
  {
    id: 'PSH-11',
    cites: 'PUSH-6',
    says: 'without a cursor it goes on from the head',
    url: '{events}',
    expected: { status: 200, headers: { 'ldes-cursor': /^[a-z0-9]+-[1-9]\d*$/ } },
  },
  ...GOING_ON.map(
    ([id, cites, says, query, stream, cursor]): ConformanceCase => ({
      id,
      cites,
      says,
      url: `{events}${query}`,
      expected: {
        status: 200,
        headers: { 'content-type': 'text/event-stream', ...(cursor && { 'ldes-cursor': cursor }) },
        stream,
      },
    }),
  ),
  {
    id: 'PSH-28',
    cites: 'PUSH-5',
    says: 'Last-Event-ID wins over the URL, which a browser repeats as it was',
    url: '{events}?from={before}',
    headers: { 'last-event-id': '{end}' },
    expected: { status: 200, headers: { 'ldes-cursor': '{end}' } },
  },
  {
    id: 'PSH-29',
    cites: 'PUSH-5 PUSH-56',
    says: 'Last-Event-ID wins over the whole state too',
    url: '{events}?from=latest',
    headers: { 'last-event-id': '{end}' },
    expected: { status: 200, headers: { 'ldes-cursor': '{end}' } },
  },
  {
    id: 'PSH-30',
    cites: 'PUSH-5',
    says: 'an empty Last-Event-ID is none',
    url: '{events}?from={before}',
    headers: { 'last-event-id': '' },
    expected: { status: 200, headers: { 'ldes-cursor': '{before}' } },
  },
  {
    id: 'PSH-31',
    cites: 'PUSH-7',
    says: 'Last-Event-ID of another life of the log is a gap, never an error',
    url: '{events}',
    headers: { 'last-event-id': 'otherlife-3' },
    expected: { status: 200, stream: GAP },
  },
  {
    id: 'PSH-32',
    cites: 'PUSH-12',
    says: 'a Last-Event-ID that cannot be read is refused',
    url: '{events}',
    headers: { 'last-event-id': 'nonsense' },
    expected: { status: 400, problem: 'ERR_CURSOR_MALFORMED' },
  },
  ...CODED.map(
    ([id, accepts, encoding]): ConformanceCase => ({
      id,
      cites: 'PUSH-15',
      says: `who accepts "${accepts}" can read it from its first byte`,
      url: '{events}?from=latest',
      headers: { 'accept-encoding': accepts },
      // What zstd says is left alone: Node.js cannot read it everywhere.
      expected: {
        status: 200,
        headers: { 'content-encoding': encoding },
        ...(encoding instanceof RegExp ? {} : { stream: '^retry: \\d+\n.*event: conflated\n' }),
      },
    }),
  ),
  ...MALFORMED.map(
    ([id, says, query, problem]): ConformanceCase => ({
      id,
      cites: 'PUSH-12 PUSH-26 ERR-2',
      says: `${says} is refused`,
      url: `{events}${query}`,
      expected: { status: 400, problem },
    }),
  ),
  {
    id: 'PSH-69',
    cites: 'PUSH-20',
    says: 'entities, classes and places may be named together, and more than once',
    url: '{events}?entity={asked}&entity=http://example.org/e&type=http://example.org/T&bbox=3,51,4,52&bbox=170,-10,-170,10',
    expected: { status: 200, headers: OPENED },
  },
];
