import { parseQuads, readMembers, readStreamContext } from '@ldes-live/rdf-stream';
import type { EventReader } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { resumePosition } from '../src/push/request.ts';
import { listening } from './push-server.ts';
import { entityOf, fill, PUBLIC_URL, remove, testServer, upsert } from './test-server.ts';

async function membersOf(server: Awaited<ReturnType<typeof listening>>, reader: EventReader) {
  const root = await server.get('/vehicles', { accept: 'application/n-quads' });
  const context = readStreamContext(await parseQuads(root.body, 'nquads', PUBLIC_URL), `${PUBLIC_URL}vehicles`);
  const updates = reader.events.filter(({ event }) => event === 'update');
  const members = await Promise.all(
    updates.map(async ({ data }) => readMembers(await parseQuads(data, 'jsonld', PUBLIC_URL), context)),
  );
  return members.flat();
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

test.each(['text/turtle', 'text/event-stream;q=0', 'text/*;q=0, */*;q=0'])(
  'PUSH-1 a request that accepts no event stream ("%s") is answered by 406',
  async (accept) => {
    const server = await testServer();
    const response = await server.get('/vehicles/events', { accept });
    expect(response.statusCode).toBe(406);
    expect(response.json()).toMatchObject({ code: 'ERR_FORMAT_UNACCEPTABLE', offered: ['text/event-stream'] });
  },
);

test.each(['text/event-stream', 'text/*', '*/*', 'text/html, text/event-stream;q=0.1'])(
  'PUSH-1 a request that accepts an event stream ("%s") gets one',
  async (accept) => {
    const server = await listening();
    const { response } = await server.read('', { accept });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
  },
);

test('PUSH-3 a commit is one event with its cursor and one line of JSON-LD that needs nothing else', async () => {
  const server = await listening();
  const reader = await server.read();
  await eventually(async () => expect(await server.connections()).toBe(1));
  const commit = await server.log.append([upsert(1, 1), upsert(2, 1)]);
  await server.log.append([remove(1)]);
  await reader.count(2);
  expect(reader.events.map(({ event, id }) => [event, id])).toEqual([
    ['update', server.cursor(2)],
    ['update', server.cursor(3)],
  ]);
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
  expect(whole.events.map(({ id }) => id)).toEqual([server.cursor(2500), server.cursor(2501)]);
  const rest = await server.read(`?from=${server.cursor(2498)}`);
  await rest.count(2);
  expect((await membersOf(server, rest)).map(({ sequence }) => sequence)).toEqual([2499, 2500, 2501]);
});

test('PUSH-5 Last-Event-ID wins over the query', async () => {
  const server = await listening();
  await fill(server, 10, 1);
  const reader = await server.read(`?from=${server.cursor(0)}`, { 'last-event-id': server.cursor(8) });
  await reader.count(2);
  expect(reader.events.map(({ id }) => id)).toEqual([server.cursor(9), server.cursor(10)]);
});

test.each(['', '?from='])(
  'PUSH-6 a reader without a cursor (%j) gets what is committed from then on',
  async (query) => {
    const server = await listening();
    await fill(server, 10, 1);
    const reader = await server.read(query, { 'last-event-id': '' });
    await eventually(async () => expect(await server.connections()).toBe(1));
    await server.log.append([upsert(1, 1)]);
    await reader.count(1);
    expect(reader.events.map(({ id }) => id)).toEqual([server.cursor(11)]);
  },
);

test.each(['otherlife-5', 'ahead'])(
  'PUSH-7 a cursor that the log does not hold (%s) begins with a gap',
  async (asked) => {
    const server = await listening();
    await fill(server, 10, 1);
    const from = asked === 'ahead' ? server.cursor(11) : asked;
    const reader = await server.read('', { 'last-event-id': from });
    await reader.count(1);
    expect(reader.events[0]).toMatchObject({ event: 'gap', id: server.cursor(10) });
    expect(JSON.parse(reader.events[0]?.data ?? '')).toEqual({
      from,
      to: server.cursor(10),
      latest: `${PUBLIC_URL}vehicles/latest`,
      pages: `${PUBLIC_URL}vehicles/pages`,
    });
    await server.log.append([upsert(1, 1)]);
    await reader.count(2);
    expect(reader.events[1]?.id).toBe(server.cursor(11));
  },
);

test('PUSH-10 readers are told to come back at different times', async () => {
  let next = 0;
  const server = await listening({ push: { retryMs: 1000 }, random: () => (next = (next + 0.25) % 1) });
  const readers = await Promise.all([server.read(), server.read()]);
  await eventually(() => {
    expect(readers.flatMap(({ retries }) => retries).sort()).toEqual([1000, 1500]);
  });
});

test('PUSH-11 a server that stops ends its streams in order', async () => {
  const server = await listening();
  const reader = await server.read();
  await eventually(async () => expect(await server.connections()).toBe(1));
  await server.log.append([upsert(1, 1)]);
  await server.app.close();
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect(reader.events).toHaveLength(1);
});

test('a reader that leaves is forgotten, also during its replay', async () => {
  const server = await listening();
  await fill(server, 1000, 5);
  const live = await server.read();
  const replaying = await server.read(`?from=${server.cursor(0)}`);
  await replaying.count(1);
  live.close();
  replaying.close();
  await eventually(async () => expect(await server.connections()).toBe(0));
});

test('DOC-18 HEAD on the push endpoint is answered as GET is, and ends', async () => {
  const server = await listening();
  await fill(server, 3, 3);
  const reader = await server.read();
  const head = await fetch(`${server.base}/vehicles/events`, { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe('');
  const fields = ({ headers }: Response) => {
    const all = new Map(headers);
    // Of the moment, and of how content is sent that the one has and the other has not.
    for (const name of ['date', 'transfer-encoding', 'connection', 'keep-alive']) all.delete(name);
    return Object.fromEntries(all);
  };
  expect(fields(head)).toEqual(fields(reader.response));
  for (const headers of [{ accept: 'text/turtle' }, { 'last-event-id': 'nonsense' }]) {
    const get = await server.get('/vehicles/events', headers);
    const refused = await server.app.inject({ method: 'HEAD', url: '/vehicles/events', headers });
    expect(refused.statusCode).toBe(get.statusCode);
    expect({ ...refused.headers, date: 'then' }).toEqual({ ...get.headers, date: 'then' });
  }
});

const head = { epoch: 'e', sequence: 1000 };

test.each([
  [249, true],
  [250, false],
  [251, false],
])('DOC-30 a cursor of sequence %d is a gap (%s) where what is held begins with 251', (sequence, isGap) => {
  const cursor = { epoch: 'e', sequence };
  expect(resumePosition({ from: `e-${sequence}` }, { head, heldFrom: 251, limitReplayMembers: 1000 })).toEqual(
    isGap ? { after: 1000, isState: false, gapFrom: cursor } : { after: sequence, isState: false },
  );
});

test.each([
  [1000, false],
  [1001, false],
  [1500, false],
  [1501, true],
])(
  'PUSH-64 a cursor of sequence %d is a gap (%s) where 1000 were sent of 1500 that were published',
  (sequence, isGap) => {
    const held = { head, published: { epoch: 'e', sequence: 1500 }, heldFrom: 1, limitReplayMembers: 1000 };
    expect(resumePosition({ from: `e-${sequence}` }, held).gapFrom !== undefined).toBe(isGap);
  },
);

test('DOC-30 a push connection from before what was erased begins with a gap and goes on from the head', async () => {
  const server = await listening();
  await fill(server, 600, 10);
  await server.log.unlink({ first: 1, last: 250 });
  const held = await server.read(`?from=${server.cursor(240)}`);
  await held.count(36);
  expect(held.events[0]).toMatchObject({ event: 'update', id: server.cursor(250) });
  await server.log.erase({ first: 1, last: 250 });
  const reader = await server.read(`?from=${server.cursor(240)}`);
  await reader.count(1);
  expect(reader.events[0]).toMatchObject({ event: 'gap', id: server.cursor(600) });
  await server.log.append([upsert(1, 1)]);
  await reader.count(2);
  expect(reader.events[1]).toMatchObject({ event: 'update', id: server.cursor(601) });
  const from = await server.read(`?from=${server.cursor(250)}`);
  await from.count(36);
  expect(from.events[0]).toMatchObject({ event: 'update', id: server.cursor(260) });
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
    if (after > 0) {
      erasing ??= server.log.erase({ first: 1, last });
      await erasing;
    }
    return read(after, limit);
  });
  const reader = await server.read('', { 'last-event-id': server.cursor(0) });
  await reader.count(2);
  const gap = () => reader.events.findIndex(({ event }) => event === 'gap');
  while (gap() < 0) await reader.count(reader.events.length + 1);
  const before = reader.events.slice(0, gap());
  expect(before.map(({ id }) => id)).toEqual(before.map((_, index) => server.cursor(index + 1)));
  // One read; its last commit might have been cut by it.
  expect(before).toHaveLength(999);
  expect(reader.events[gap()]).toMatchObject({ event: 'gap', id: server.cursor(4000) });
  expect(JSON.parse(reader.events[gap()]?.data ?? '')).toEqual({
    from: server.cursor(before.length),
    to: server.cursor(4000),
    latest: `${PUBLIC_URL}vehicles/latest`,
    pages: `${PUBLIC_URL}vehicles/pages`,
  });
  await server.log.append([upsert(1, 1)]);
  await reader.count(before.length + 2);
  expect(reader.events.slice(gap() + 1).map(({ id }) => id)).toEqual([server.cursor(4001)]);
  expect(reader.state.ended).toBe(false);
});

test('PUSH-57 as many members as the limit are sent again, and one more is a gap', async () => {
  const server = await listening({ push: { limitReplayMembers: 10 } });
  await fill(server, 20, 2);
  const within = await server.read(`?from=${server.cursor(10)}`);
  await within.count(5);
  expect(within.events.map(({ event, id }) => [event, id])).toEqual(
    [12, 14, 16, 18, 20].map((sequence) => ['update', server.cursor(sequence)]),
  );
  const beyond = await server.read(`?from=${server.cursor(9)}`);
  await beyond.count(1);
  expect(beyond.events[0]).toMatchObject({ event: 'gap', id: server.cursor(20) });
  expect(JSON.parse(beyond.events[0]?.data ?? '')).toMatchObject({ from: server.cursor(9), to: server.cursor(20) });
  await server.log.append([upsert(1, 99)]);
  await beyond.count(2);
  expect(beyond.events[1]).toMatchObject({ event: 'update', id: server.cursor(21) });
});
