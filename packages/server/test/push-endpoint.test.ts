import { type Draft, namedNode, parseQuads, quad, readMembers, readStreamContext } from '@ldes-live/rdf-stream';
import type { EventReader } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { pushSettings } from '../src/options.ts';
import { readPushRequest } from '../src/push/request.ts';
import { listening } from './push-server.ts';
import { entityOf, fill, PUBLIC_URL, remove, upsert } from './test-server.ts';
import { watchedLiteral } from './watched-literal.ts';

const MIB = 1024 * 1024;

type Server = Awaited<ReturnType<typeof listening>>;

/** A server with one reader, who is there. */
async function withReader(options = {}) {
  const server = await listening(options);
  const reader = await server.read();
  await eventually(async () => expect(await server.connections()).toBe(1));
  return { ...server, reader };
}

async function membersOf(server: Server, reader: EventReader) {
  const root = await server.get('/vehicles', { accept: 'application/n-quads' });
  const context = readStreamContext(await parseQuads(root.body, 'nquads', PUBLIC_URL), `${PUBLIC_URL}vehicles`);
  const updates = reader.events.filter(({ event }) => event === 'update');
  const members = await Promise.all(
    updates.map(async ({ data }) => readMembers(await parseQuads(data, 'jsonld', PUBLIC_URL), context)),
  );
  return members.flat();
}

const idsOf = ({ events }: EventReader) => events.map(({ event, id }) => [event, id]);
const updatesAt = (server: Server, sequences: readonly number[]) =>
  sequences.map((sequence) => ['update', server.cursor(sequence)]);

/** Expects a reader to be told of a gap, and to go on at the head. */
async function expectGap(server: Server, reader: EventReader, from: string, head: number, before = 0): Promise<void> {
  await reader.count(before + 1);
  expect(reader.events[before]).toMatchObject({ event: 'gap', id: server.cursor(head) });
  expect(JSON.parse(reader.events[before]?.data ?? '')).toEqual({
    from,
    to: server.cursor(head),
    latest: `${PUBLIC_URL}vehicles/latest`,
    pages: `${PUBLIC_URL}vehicles/pages`,
  });
  await server.log.append([upsert(1, 99)]);
  await reader.count(before + 2);
  expect(idsOf(reader).slice(before + 1)).toEqual(updatesAt(server, [head + 1]));
}

test('PUSH-1 the stream is named as what it is, and nothing on the way may keep or hold it', async () => {
  const server = await listening();
  await fill(server, 3, 3);
  const { response } = await server.read();
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'ldes-cursor': server.cursor(3),
    link: (await server.get('/vehicles')).headers.link,
  });
});

const head = { epoch: 'e', sequence: 1000 };
const readAs = (headers: Record<string, string>, url = '/', held = {}, limits = {}) =>
  readPushRequest({ url, headers }, { head, published: head, heldFrom: 1, ...held }, pushSettings(limits));

test.each([
  ['text/event-stream', true],
  ['text/*', true],
  ['text/html, text/event-stream;q=0.1', true],
  ['text/turtle', false],
  ['text/event-stream;q=0', false],
  ['text/*;q=0, */*;q=0', false],
])('PUSH-1 an event stream is accepted by "%s": %s', (accept, isAccepted) => {
  const code = 'ERR_FORMAT_UNACCEPTABLE';
  if (isAccepted) expect(readAs({ accept }).position.after).toBe(1000);
  else expect(() => readAs({ accept })).toThrow(expect.objectContaining({ code }));
});

test.each([
  ['zstd, gzip', 'gzip'],
  ['zstd;q=1, gzip;q=0.5', 'gzip'],
  ['zstd', 'identity'],
  ['br', 'identity'],
  ['identity', 'identity'],
])('PUSH-18 a request that accepts %s is answered with the coding %s', (accepted, encoding) => {
  expect(readAs({ 'accept-encoding': accepted }).encoding).toBe(encoding);
});

// What is asked for, and where it goes on: with a gap at the head, where what follows is not here or too much.
const REQUESTS: [string, string, string, number, boolean, object?, object?][] = [
  ['PUSH-4 a cursor', '', 'e-400', 400, false],
  ['PUSH-5 Last-Event-ID before the query', 'e-600', 'e-400', 600, false],
  ['PUSH-5 Last-Event-ID before the whole state', 'e-600', 'latest', 600, false],
  ['PUSH-6 no cursor', '', '', 1000, false],
  ['PUSH-6 the head', '', 'e-1000', 1000, false],
  ['PUSH-7 a cursor of another life', 'otherlife-5', '', 1000, true],
  ['PUSH-7 a cursor past the head', '', 'e-1001', 1000, true],
  ['PUSH-64 what is published and not yet here', '', 'e-1001', 1001, false, { published: { ...head, sequence: 1500 } }],
  ['PUSH-64 as much as is published', '', 'e-1500', 1500, false, { published: { ...head, sequence: 1500 } }],
  ['PUSH-64 one more', '', 'e-1501', 1000, true, { published: { ...head, sequence: 1500 } }],
  ['DOC-30 one before what is held', '', 'e-249', 1000, true, { heldFrom: 251 }],
  ['DOC-30 where what is held begins', '', 'e-250', 250, false, { heldFrom: 251 }],
  ['PUSH-57 as many members as the limit', '', 'e-990', 990, false, {}, { limitReplayMembers: 10 }],
  ['PUSH-57 one more than the limit', '', 'e-989', 1000, true, {}, { limitReplayMembers: 10 }],
];

test.each(REQUESTS)(
  '%s (%j, ?from=%s) goes on after %d, with a gap: %s',
  (_name, last, from, after, isGap, held, limits) => {
    const { position } = readAs({ 'last-event-id': last }, `/?from=${from}`, held, limits);
    expect([position.after, position.gapFrom !== undefined, position.isState]).toEqual([after, isGap, false]);
  },
);

test('PUSH-12 what cannot be read is refused: `latest` is no Last-Event-ID', () => {
  for (const id of ['latest', 'nonsense']) {
    expect(() => readAs({ 'last-event-id': id })).toThrow(expect.objectContaining({ code: 'ERR_CURSOR_MALFORMED' }));
  }
});

test('PUSH-3 a commit is one event with its cursor and one line of JSON-LD that needs nothing else', async () => {
  const { reader, ...server } = await withReader();
  const commit = await server.log.append([upsert(1, 1), upsert(2, 1)]);
  await server.log.append([remove(1)]);
  await reader.count(2);
  expect(idsOf(reader)).toEqual(updatesAt(server, [2, 3]));
  expect(reader.events[0]?.data).not.toContain('\n');
  expect(JSON.parse(reader.events[0]?.data ?? '')['@context']).toBeTypeOf('object');
  const members = await membersOf(server, reader);
  expect(members.map(({ kind, entity, sequence }) => [kind, entity, sequence])).toEqual([
    ['upsert', entityOf(1), 1],
    ['upsert', entityOf(2), 2],
    ['delete', entityOf(1), 3],
  ]);
  expect(members[0]?.quads).toHaveLength(commit.members[0]?.quads.length ?? -1);
});

test('PUSH-3 a commit is encoded once for all connections that are up to date: they get the same bytes', async () => {
  const server = await listening();
  // How often a commit's content is read, with so many readers.
  const readsFor = async () => {
    const { term, count } = watchedLiteral('x');
    const quads = [quad(namedNode(entityOf(1)), namedNode('http://example.org/value'), term)];
    await server.log.append([{ ...upsert(1, 1), quads } as Draft]);
    return count.reads;
  };
  const unread = await readsFor();
  const readers = [await server.readBytes()];
  await eventually(async () => expect(await server.connections()).toBe(1));
  const forOne = await readsFor();
  expect(forOne).toBeGreaterThan(unread);
  await eventually(() => expect(readers[0]?.ids()).toEqual([server.cursor(2)]));
  readers.push(...(await Promise.all([server.readBytes(), server.readBytes(), server.readBytes()])));
  await eventually(async () => expect(await server.connections()).toBe(4));
  expect(await readsFor()).toBe(forOne);
  await eventually(() => expect(readers.map((reader) => reader.ids().at(-1))).toEqual(Array(4).fill(server.cursor(3))));
  const frames = readers.map((reader) => reader.content().slice(reader.content().lastIndexOf('event: update')));
  expect(new Set(frames).size).toBe(1);
});

test('PUSH-4 a reader with a cursor gets every commit after it once, from the log and then live', async () => {
  const server = await listening();
  await fill(server, 1300, 13);
  const reader = await server.read(`?from=${server.cursor(0)}`);
  // Commits during the replay are neither lost nor doubled.
  for (let index = 0; index < 50; index += 1) {
    await server.log.append([upsert(index, index)]);
    await new Promise(setImmediate);
  }
  await reader.count(150);
  expect((await membersOf(server, reader)).map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 1350 }, (_, index) => index + 1),
  );
  expect(reader.events[0]?.id).toBe(server.cursor(13));
});

test('PUSH-4 a commit larger than a batch is replayed whole, and a cursor within a commit gets the rest', async () => {
  const server = await listening();
  await server.log.append(Array.from({ length: 2500 }, (_, index) => upsert(index, 1)));
  await server.log.append([upsert(1, 2)]);
  const whole = await server.read(`?from=${server.cursor(0)}`);
  await whole.count(2);
  expect(idsOf(whole)).toEqual(updatesAt(server, [2500, 2501]));
  const rest = await server.read(`?from=${server.cursor(2498)}`);
  await rest.count(2);
  expect((await membersOf(server, rest)).map(({ sequence }) => sequence)).toEqual([2499, 2500, 2501]);
});

test('PUSH-7 a cursor that the log does not hold begins with a gap', async () => {
  const server = await listening();
  await fill(server, 10, 1);
  const reader = await server.read('', { 'last-event-id': 'otherlife-5' });
  await expectGap(server, reader, 'otherlife-5', 10);
});

test('PUSH-8 something is sent at once, and again while there are no events', async () => {
  const server = await listening({ push: { heartbeatMs: 20 } });
  const reader = await server.read();
  await eventually(() => expect(reader.comments.length).toBeGreaterThan(3));
});

test('PUSH-10 readers are told to come back at different times', async () => {
  let next = 0;
  const server = await listening({ push: { retryMs: 1000 }, random: () => (next = (next + 0.25) % 1) });
  const readers = await Promise.all([server.read(), server.read()]);
  await eventually(() => {
    expect(readers.flatMap(({ retries }) => retries).sort()).toEqual([1000, 1500]);
  });
});

test('PUSH-11 a server that stops ends its streams in order', async () => {
  const { app, log, reader } = await withReader();
  await log.append([upsert(1, 1)]);
  await app.close();
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect(reader.events).toHaveLength(1);
});

test('a reader that leaves is forgotten, also during its replay', async () => {
  const { reader, ...server } = await withReader();
  await fill(server, 1000, 5);
  const replaying = await server.read(`?from=${server.cursor(0)}`);
  await replaying.count(1);
  reader.close();
  replaying.close();
  await eventually(async () => expect(await server.connections()).toBe(0));
});

test('DOC-18 HEAD on the push endpoint is answered as GET is, and ends', async () => {
  const { reader, ...server } = await withReader();
  const answer = await fetch(`${server.base}/vehicles/events`, { method: 'HEAD' });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  const fields = ({ headers }: Response) => {
    const all = new Map(headers);
    // Of the moment, and of how content is sent that the one has and the other has not.
    for (const name of ['date', 'transfer-encoding', 'connection', 'keep-alive']) all.delete(name);
    return Object.fromEntries(all);
  };
  expect(fields(answer)).toEqual(fields(reader.response));
  for (const headers of [{ accept: 'text/turtle' }, { 'last-event-id': 'nonsense' }]) {
    const get = await server.get('/vehicles/events', headers);
    const refused = await server.app.inject({ method: 'HEAD', url: '/vehicles/events', headers });
    expect(refused.statusCode).toBe(get.statusCode);
    expect({ ...refused.headers, date: 'then' }).toEqual({ ...get.headers, date: 'then' });
  }
});

test('DOC-30 a push connection from before what was erased begins with a gap and goes on from the head', async () => {
  const server = await listening();
  await fill(server, 600, 10);
  await server.log.unlink({ first: 1, last: 250 });
  const held = await server.read(`?from=${server.cursor(240)}`);
  await held.count(36);
  expect(held.events[0]).toMatchObject({ event: 'update', id: server.cursor(250) });
  await server.log.erase({ first: 1, last: 250 });
  await expectGap(server, await server.read(`?from=${server.cursor(240)}`), server.cursor(240), 600);
});

test('DOC-30 what is erased while it is sent is a gap after the last event, and then the stream goes on', async () => {
  // Nothing kept for those who come back: all is read from the log.
  const server = await listening({ push: { limitFrameBytes: 1 } });
  await fill(server, 4000, 1);
  const last = 3750;
  await server.log.unlink({ first: 1, last });
  const read = server.log.read.bind(server.log);
  let erasing: Promise<void> | undefined;
  vi.spyOn(server.log, 'read').mockImplementation(async (after, limit) => {
    if (after > 0) erasing ??= server.log.erase({ first: 1, last });
    await erasing;
    return read(after, limit);
  });
  const reader = await server.read('', { 'last-event-id': server.cursor(0) });
  // One read; its last commit might have been cut by it.
  await expectGap(server, reader, server.cursor(999), 4000, 999);
  const before = Array.from({ length: 999 }, (_, index) => index + 1);
  expect(idsOf(reader).slice(0, 999)).toEqual(updatesAt(server, before));
  expect(reader.state.ended).toBe(false);
});

test('PUSH-57 as many members as the limit are sent again, and one more is a gap', async () => {
  const server = await listening({ push: { limitReplayMembers: 10 } });
  await fill(server, 20, 2);
  const within = await server.read(`?from=${server.cursor(10)}`);
  await within.count(5);
  expect(idsOf(within)).toEqual(updatesAt(server, [12, 14, 16, 18, 20]));
  const beyond = await server.read(`?from=${server.cursor(9)}`);
  await expectGap(server, beyond, server.cursor(9), 20);
});

const DEFAULTS = {
  heartbeatMs: 15_000,
  retryMs: 1000,
  limitQueueBytes: MIB,
  limitStallMs: 60_000,
  limitFrameBytes: 32 * MIB,
  limitReplayBytes: 256 * MIB,
  limitReplayMembers: 100_000,
  limitNarrowing: 100,
  limitConnections: 50_000,
  limitConnectionsPerAddress: 1000,
  limitAcceptsPerSecond: 4000,
  limitWaitingAccepts: 20_000,
  limitAgeMs: 3_600_000,
  shutdownGraceMs: 8000,
};

test.each(Object.keys(DEFAULTS))('%s has a default and a range, and a value beside it is refused', (name) => {
  expect(pushSettings()).toEqual(DEFAULTS);
  const isHeartbeat = name === 'heartbeatMs';
  const min = name === 'shutdownGraceMs' ? 0 : 1;
  for (const value of [min, 1, isHeartbeat ? 15_000 : 2 ** 40]) {
    expect(pushSettings({ [name]: value })).toEqual({ ...DEFAULTS, [name]: value });
  }
  const code = isHeartbeat ? 'ERR_HEARTBEAT' : 'ERR_LIMIT';
  for (const value of [min - 1, -1, isHeartbeat ? 15_001 : 1.5, Number.NaN]) {
    expect(() => pushSettings({ [name]: value }), String(value)).toThrow(expect.objectContaining({ code }));
  }
});
