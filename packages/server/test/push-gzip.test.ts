import { once } from 'node:events';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import * as zlib from 'node:zlib';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { expectHistory } from './expect-history.ts';
import { bodyOf, broadcasting, eventsOf, type OpenLine, settled } from './push-lines.ts';
import { listening } from './push-server.ts';
import { EPOCH, upsert } from './test-server.ts';

type World = Awaited<ReturnType<typeof broadcasting>>;

const turn = () => new Promise((resolve) => setImmediate(resolve));
const lastOf = (line: OpenLine) =>
  Number(
    line
      .events()
      .at(-1)
      ?.id.slice(EPOCH.length + 1) ?? 0,
  );
const inGroup = ({ subscriber }: OpenLine) => subscriber.inGroup;
const open = ({ open: openLine }: World) => openLine({ encoding: 'gzip', isChunked: true });

/** Commits something, and resolves when all have it. */
async function commit(world: World, lines: readonly OpenLine[]): Promise<void> {
  await world.log.append([upsert(1, world.commits.head.sequence), upsert(2, world.commits.head.sequence)]);
  await settled(world.push, () => lines.every((line) => lastOf(line) === world.commits.head.sequence));
}

async function expectEach(world: World, lines: readonly OpenLine[]): Promise<void> {
  const members = await world.log.read(0, 1000);
  for (const line of lines) {
    const history = { epoch: EPOCH, members, wants: () => true };
    expect(expectHistory(line.events(), line.after, history)).toBe(world.commits.head.sequence);
  }
}

test('PUSH-15 the stream is one gzip member without an end, and each event can be read when its last byte is there', async () => {
  const world = await broadcasting();
  const line = open(world);
  for (let commits = 0; commits < 5; commits += 1) {
    await commit(world, [line]);
    expect(line.events()).toHaveLength(commits + 1);
  }
  const body = line.line.taken;
  // The header is the first chunk, or begins it; no other member follows.
  expect(bodyOf(body, { encoding: 'identity', chunked: true }).subarray(0, 3).toString('hex')).toBe('1f8b08');
  expect(() => zlib.gunzipSync(bodyOf(body, { encoding: 'identity', chunked: true }))).toThrow(
    'unexpected end of file',
  );
});

test('PUSH-16 the group is sent one block, smaller than one that refers to nothing, and the others theirs', async () => {
  const world = await broadcasting();
  const members = Array.from({ length: 20 }, () => open(world));
  await commit(world, members);
  expect(members.every(inGroup)).toBe(true);
  await commit(world, members);
  const late = open(world);
  await commit(world, [...members, late]);
  expect(inGroup(late)).toBe(false);
  const blocks = new Set(members.map(({ line }) => line.writes.at(-1)));
  expect(blocks.size).toBe(1);
  const [block] = blocks;
  expect(block?.length).toBeLessThan((late.line.writes.at(-1)?.length ?? 0) / 2);
  await expectEach(world, [...members, late]);
});

test('PUSH-17 a newcomer joins at a restart, which comes when those outside have taken as much as there are members', async () => {
  const world = await broadcasting();
  const members = Array.from({ length: 4 }, () => open(world));
  await commit(world, members);
  const late = open(world);
  const joinedAt: boolean[] = [];
  for (let commits = 0; commits < 5; commits += 1) {
    await commit(world, [...members, late]);
    joinedAt.push(inGroup(late));
  }
  expect(joinedAt).toEqual([false, false, false, true, true]);
  // From there on the same for all.
  expect(members.every(({ line }) => line.writes.at(-1) === late.line.writes.at(-1))).toBe(true);
  // Two outside take twice as much.
  const two = [open(world), open(world)];
  for (const expected of [false, false, true]) {
    await commit(world, [...members, late, ...two]);
    expect(two.map(inGroup)).toEqual([expected, expected]);
  }
  await expectEach(world, [...members, late, ...two]);
});

test('PUSH-16 the group is sent the same comments, and what comes after can be read', async () => {
  const world = await broadcasting();
  const members = [open(world), open(world)];
  await commit(world, members);
  const late = open(world);
  const comments = () => [...members, late].map((line) => line.content().match(/^: ?$/gm)?.length);
  world.time.nowMs += 12_000;
  world.push.tick(3000);
  await settled(world.push, () => comments().every((count) => count === 2));
  expect(members[0]?.line.writes.at(-1)).toBe(members[1]?.line.writes.at(-1));
  for (let commits = 0; commits < 4; commits += 1) await commit(world, [...members, late]);
  expect([...members, late].every(inGroup)).toBe(true);
  await expectEach(world, [...members, late]);
});

test('PUSH-16, PUSH-17 who falls behind leaves the group, gets what it lacks beside it, and joins again', async () => {
  const world = await broadcasting();
  const members = [open(world), open(world), open(world)];
  const [slow, ...quick] = members as [OpenLine, ...OpenLine[]];
  await commit(world, members);
  slow.line.hold();
  for (let commits = 0; commits < 3; commits += 1) await commit(world, quick);
  expect(inGroup(slow)).toBe(false);
  expect(quick.every(inGroup)).toBe(true);
  slow.line.release();
  await settled(world.push, () => lastOf(slow) === 8);
  await commit(world, members);
  expect(inGroup(slow)).toBe(false);
  await commit(world, members);
  await commit(world, members);
  expect(inGroup(slow)).toBe(true);
  await expectEach(world, members);
});

test('PUSH-17 a group that all have left begins anew with who is there', async () => {
  const world = await broadcasting();
  const members = [open(world), open(world)];
  await commit(world, members);
  for (const { line } of members) line.destroy();
  const late = open(world);
  await settled(world.push, () => world.push.size === 1);
  await commit(world, [late]);
  expect(inGroup(late)).toBe(true);
  const beside = world.open();
  late.line.destroy();
  await settled(world.push, () => world.push.size === 1);
  // Nothing is compressed for nobody.
  await commit(world, [beside]);
  const last = open(world);
  await commit(world, [beside, last]);
  await expectEach(world, [beside, last]);
});

test('PUSH-16, PUSH-17 over HTTP readers that come one after the other get each event once, in the group and beside it', async () => {
  const server = await listening();
  const { port } = new URL(server.base);
  const readers: { after: number; content: () => string }[] = [];
  const read = async () => {
    const after = server.log.head.cursor.sequence;
    const sent = request({ host: '127.0.0.1', port, path: '/vehicles/events', headers: { 'accept-encoding': 'gzip' } });
    sent.end();
    onTestFinished(() => void sent.destroy());
    const [response] = await once(sent, 'response');
    expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' });
    const chunks: Buffer[] = [];
    response
      .pipe(zlib.createGunzip())
      .on('error', () => {})
      .on('data', (chunk: Buffer) => chunks.push(chunk));
    readers.push({ after, content: () => Buffer.concat(chunks).toString() });
  };
  for (let round = 0; round < 12; round += 1) {
    if (round % 3 === 0) await read();
    await eventually(async () => expect(await server.connections()).toBe(readers.length));
    await server.log.append([upsert(1, round), upsert(2, round)]);
  }
  const head = server.cursor(24);
  const members = await server.log.read(0, 100);
  for (const { after, content } of readers) {
    await eventually(() => expect(eventsOf(content()).at(-1)?.id).toBe(head));
    const history = { epoch: EPOCH, members, wants: () => true };
    expect(expectHistory(eventsOf(content()), after, history)).toBe(24);
  }
});

test.each(['identity', 'gzip'])('PUSH-15 to a client of HTTP/1.0 the bytes go without chunks (%s)', async (coding) => {
  const server = await listening();
  const socket = createConnection(Number(new URL(server.base).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(`GET /vehicles/events HTTP/1.0\r\nhost: x\r\naccept-encoding: ${coding}\r\n\r\n`);
  const got = () => Buffer.concat(chunks);
  await eventually(async () => expect(await server.connections()).toBe(1));
  for (let value = 1; value <= 3; value += 1) {
    await server.log.append([upsert(1, value)]);
    await turn();
  }
  const encoding = coding as 'identity' | 'gzip';
  const content = () => bodyOf(got().subarray(got().indexOf('\r\n\r\n') + 4), { encoding, chunked: false }).toString();
  await eventually(() =>
    expect(eventsOf(content()).map(({ id }) => id)).toEqual([server.cursor(1), server.cursor(2), server.cursor(3)]),
  );
  const head = got().toString('latin1', 0, got().indexOf('\r\n\r\n')).toLowerCase();
  expect(head).not.toContain('transfer-encoding');
  expect(head.includes('content-encoding: gzip')).toBe(coding === 'gzip');
  await server.app.close();
  await eventually(() => expect(socket.destroyed).toBe(true));
  expect(eventsOf(content())).toHaveLength(3);
});

test.each([
  ['zstd, gzip', 'gzip'],
  ['zstd;q=1, gzip;q=0.5', 'gzip'],
  ['zstd', null],
  ['br', null],
  ['identity', null],
])('PUSH-18 a request that accepts %s is answered with the coding %s', async (accepted, coding) => {
  const server = await listening();
  const response = await fetch(`${server.base}/vehicles/events`, {
    method: 'HEAD',
    headers: { 'accept-encoding': accepted },
  });
  expect(response.headers.get('content-encoding')).toBe(coding);
});
