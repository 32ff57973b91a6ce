import { ask, type ConformanceCase } from './conformance-case.ts';

const OPENED = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  incremental: '?1',
  'ldes-cursor': /^[a-z0-9]+-\d+$/,
  link: /^(?=.*rel="collection")(?=.*rel="current")(?=.*rel="archives")/,
};
// An event with the id that it has, and the members of it.
const UPDATE = 'event: update\nid: {epoch}-\\d+\ndata: .*"tree:member".*?\n\n';
const GAP = 'event: gap\nid: {epoch}-\\d+\ndata: [^\n]*"latest":"{latest}"[^\n]*\n\n';
const STATE = 'event: conflated\ndata: [^\n]*"from":"{epoch}-0"[^\n]*\n\n';
const OF_ONE = '?from=latest&entity={asked}';
const OF_NONE = '?from=latest&entity=http://example.org/none';

// Where a stream goes on, by its query.
const GOING_ON: readonly (readonly [name: string, query: string, stream: string, cursor?: string])[] = [
  ['PUSH-4 PSH-20 after a cursor come the commits that follow', '?from={before}', UPDATE, '{before}'],
  ['PUSH-4 PSH-21 a cursor within a commit is as good as any', '?from={within}', UPDATE, '{within}'],
  ['PUSH-7 PSH-22 another life of the log is a gap', '?from=otherlife-3', GAP],
  ['PUSH-7 PSH-23 what lies past the head is a gap', '?from={epoch}-9007199254740991', GAP],
  ['PUSH-56 PUSH-60 PSH-25 the whole state, and then its cursor', '?from=latest', `${STATE}.*${UPDATE}`],
  ['PUSH-20 PUSH-56 PSH-26 the state of one entity', OF_ONE, `${STATE}event: update\n.*{entity}.*\n\n`],
  ['PUSH-20 PUSH-60 PSH-27 a state that does not concern a reader', OF_NONE, `${STATE}id: {epoch}-\\d+\n\n`],
];

// What an `Accept-Encoding` field gets.
const CODED: readonly (readonly [id: string, accepts: string, encoding: string | null])[] = [
  ['PSH-40', 'gzip', 'gzip'],
  ['PSH-41', 'gzip, deflate, br, zstd', 'gzip'],
  ['PSH-42', 'identity', null],
  ['PSH-43', '', null],
  ['PSH-44', 'gzip;q=0', null],
  ['PSH-45', 'br, deflate', null],
  ['PSH-46', 'identity;q=0, gzip;q=0.5', 'gzip'],
];

const MALFORMED: readonly (readonly [name: string, query: string, code?: string])[] = [
  ['PSH-60 an entity that is no absolute IRI', '?entity=1'],
  ['PSH-61 a type that is no absolute IRI', '?type='],
  ['PSH-62 a box of three numbers', '?bbox=1,2,3'],
  ['PSH-63 a box with its south above its north', '?bbox=3,52,4,51'],
  ['PSH-64 a box beyond the poles', '?bbox=3,51,4,91'],
  ['PSH-65 a box that is no number', '?bbox=3,51,4,north'],
  ['PSH-66 a cursor with leading zeros', '?from={epoch}-007', 'ERR_CURSOR_MALFORMED'],
  ['PSH-67 one malformed value among good ones', '?entity={asked}&entity=1'],
  ['PSH-68 a parameter of another name beside good ones', '?from={head}&since=1', 'ERR_QUERY_UNKNOWN'],
];

/** How a push stream begins: what it says of itself, where it goes on, and what is refused. */
export const pushCases: readonly ConformanceCase[] = [
  ask('PUSH-1 PUSH-8 PUSH-10 PSH-1 a stream is named as what it is, and begins at once with a wait', '{events}', 200, {
    headers: { ...OPENED, 'content-encoding': null },
    stream: '^retry: \\d+\n',
  }),
  ...['text/event-stream', 'text/*', '*/*', 'text/html, text/event-stream;q=0.1'].map((accept, index) =>
    ask(`PUSH-1 PSH-${2 + index} ${accept} takes a stream`, `{events}\naccept: ${accept}`, 200, {
      headers: { 'content-type': 'text/event-stream' },
    }),
  ),
  ask('PUSH-1 DOC-18 PSH-10 HEAD has the fields of a stream, and no content', 'HEAD {events}', 200, {
    headers: OPENED,
    content: 'none',
  }),
  ask('PUSH-6 PSH-11 without a cursor it goes on from the head', '{events}', 200, {
    headers: { 'ldes-cursor': /^[a-z0-9]+-[1-9]\d*$/ },
  }),
  ...GOING_ON.map(([name, query, stream, cursor]) =>
    ask(name, `{events}${query}`, 200, {
      headers: { 'content-type': 'text/event-stream', ...(cursor && { 'ldes-cursor': cursor }) },
      stream,
    }),
  ),
  ask('PUSH-5 PSH-28 Last-Event-ID wins over the query', '{events}?from={before}\nlast-event-id: {within}', 200, {
    headers: { 'ldes-cursor': '{within}' },
    stream: UPDATE,
  }),
  ask('PUSH-5 PUSH-56 PSH-29 and over the whole state too', '{events}?from=latest\nlast-event-id: {end}', 200, {
    headers: { 'ldes-cursor': '{end}' },
  }),
  ask('PUSH-5 PSH-30 an empty Last-Event-ID is none', '{events}?from={before}\nlast-event-id:', 200, {
    headers: { 'ldes-cursor': '{before}' },
  }),
  ask(
    'PUSH-7 PSH-31 Last-Event-ID of another life is a gap, never an error',
    '{events}\nlast-event-id: otherlife-3',
    200,
    {
      stream: GAP,
    },
  ),
  ask('PUSH-12 PSH-32 a Last-Event-ID that cannot be read is refused', '{events}\nlast-event-id: nonsense', 400, {
    problem: 'ERR_CURSOR_MALFORMED',
  }),
  ...CODED.map(([id, accepts, encoding]) =>
    ask(
      `PUSH-15 ${id} who accepts "${accepts}" can read it`,
      `{events}?from=latest\naccept-encoding: ${accepts}`,
      200,
      {
        headers: { 'content-encoding': encoding },
        stream: '^retry: \\d+\n.*event: conflated\n',
      },
    ),
  ),
  ...MALFORMED.map(([name, query, problem = 'ERR_NARROWING_MALFORMED']) =>
    ask(`PUSH-12 PUSH-26 ERR-2 ${name} is refused`, `{events}${query}`, 400, { problem }),
  ),
  ask(
    'PUSH-20 PSH-69 entities, classes and places may be named together, and more than once',
    '{events}?entity={asked}&entity=http://example.org/e&type=http://example.org/T&bbox=3,51,4,52&bbox=170,-10,-170,10',
    200,
    { headers: OPENED },
  ),
];
