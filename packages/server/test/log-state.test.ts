import { prefixes } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import { LogState } from '../src/push/packets/log-state.ts';
import { membersAfter } from '../src/push/packets/members-after.ts';
import type { Packet } from '../src/push/packets/packet.ts';
import type { State } from '../src/push/packets/packet-source.ts';
import { EPOCH, entityOf, fill, remove, type TestServer, testServer, upsert } from './test-server.ts';

const statesOf = ({ log, description }: TestServer) => new LogState(log, { description, prefixes });

async function partsOf(state: State): Promise<Packet[]> {
  return Promise.all(Array.from({ length: state.length }, (_, index) => state.part(index)));
}

const told = (parts: readonly Packet[]) =>
  parts.flatMap(({ subjects }) => subjects).map(({ entity, kind }) => [kind, entity.slice(entityOf(0).length - 1)]);

test('PUSH-56 the whole state is the newest version of each living entity, by sequence', async () => {
  const server = await testServer();
  await fill(server, 6, 3);
  await server.log.append([remove(1)]);
  await server.log.append([upsert(0, 9)]);
  const state = await statesOf(server).after(0);
  expect([state.after, state.to, state.length]).toEqual([0, 8, 1]);
  const parts = await partsOf(state);
  expect(told(parts)).toEqual([
    ['upsert', '2'],
    ['upsert', '0'],
  ]);
  expect(parts[0]?.id).toBe(`${EPOCH}-8`);
});

test('PUSH-60 what changed after a position is told once each, ends included, by sequence', async () => {
  const server = await testServer();
  await fill(server, 3, 3);
  await server.log.append([upsert(0, 5), upsert(1, 5)]);
  await server.log.append([remove(1), upsert(3, 5)]);
  await server.log.append([upsert(0, 6)]);
  const state = await statesOf(server).after(4);
  expect([state.after, state.to]).toEqual([4, 8]);
  expect(told(await partsOf(state))).toEqual([
    ['delete', '1'],
    ['upsert', '3'],
    ['upsert', '0'],
  ]);
});

test('PUSH-58, PUSH-60 it comes in parts, of which only the last one has an id', async () => {
  const server = await testServer();
  await server.log.append(Array.from({ length: 251 }, (_, index) => upsert(index, 1)));
  const states = statesOf(server);
  const two = await partsOf(await states.after(0));
  expect(two.map(({ id, subjects }) => [id, subjects.length])).toEqual([
    ['', 250],
    [`${EPOCH}-251`, 1],
  ]);
  const one = await partsOf(await states.after(1));
  expect(one.map(({ id, subjects }) => [id, subjects.length])).toEqual([[`${EPOCH}-251`, 250]]);
});

test('PUSH-60 those who ask at about the same time get the same one, and later ones a newer one', async () => {
  const server = await testServer();
  await fill(server, 300, 300);
  const states = statesOf(server);
  const [first, second] = await Promise.all([states.after(290), states.after(290)]);
  expect(second).toBe(first);
  expect(await first?.part(0)).toBe(await second?.part(0));
  const members = vi.spyOn(server.log, 'members');
  await server.log.append(Array.from({ length: 250 }, (_, index) => upsert(index, 7)));
  expect(await states.after(290)).toBe(first);
  expect(members).not.toHaveBeenCalled();
  await server.log.append([upsert(1, 8)]);
  const newer = await states.after(290);
  expect([first?.to, newer.to]).toEqual([300, 551]);
});

test('PUSH-60 readers at many positions share one state, and it tells each what changed after its own', async () => {
  const server = await testServer();
  await fill(server, 2000, 400);
  const states = statesOf(server);
  const members = vi.spyOn(server.log, 'members');
  const positions = Array.from({ length: 1000 }, (_, index) => 1999 - index);
  const given = await Promise.all(positions.map((position) => states.after(position)));
  expect(new Set(given).size).toBe(1);
  expect(members.mock.calls.length).toBeLessThan(5);
  for (const [index, position] of positions.entries()) {
    if (index % 100 > 0) continue;
    const parts = await partsOf(given[index] as State);
    const later = parts.flatMap((part) => {
      const chosen = membersAfter(part, position);
      return part.subjects.filter((_, member) => part.last > position && (chosen?.includes(member) ?? true));
    });
    const changed = new Set((await server.log.members(position, 2000)).map(({ entity }) => entity));
    expect(later.map(({ entity }) => entity).sort()).toEqual([...changed].sort());
  }
});

test('PUSH-60 a part that is kept no more is read again, the same as it was, whatever was committed and erased since', async () => {
  const server = await testServer();
  await server.log.append(Array.from({ length: 600 }, (_, index) => upsert(index, 1)));
  const states = new LogState(server.log, { description: server.description, prefixes }, 1);
  const state = await states.after(0);
  const before = await partsOf(state);
  await server.log.append([upsert(599, 2)]);
  await server.log.unlink({ first: 1, last: 250 });
  await server.log.erase({ first: 1, last: 250 });
  const after = await partsOf(state);
  expect(after).toEqual(before);
  expect(after[0]).not.toBe(before[0]);
});

test('PUSH-60 what is made for those further behind and erased meanwhile is made again for those who can be told', async () => {
  const server = await testServer();
  await fill(server, 600, 10);
  const states = statesOf(server);
  await server.log.unlink({ first: 1, last: 250 });
  const { members } = server.log;
  let erased: Promise<void> | undefined;
  server.log.members = async (...range) => {
    erased ??= server.log.erase({ first: 1, last: 250 });
    await erased;
    return members.apply(server.log, range);
  };
  const [behind, further] = await Promise.allSettled([states.after(300), states.after(100)]);
  expect(behind).toMatchObject({ status: 'fulfilled', value: { to: 600 } });
  expect(further).toMatchObject({ status: 'rejected', reason: { code: 'ERR_MEMBERS_REMOVED' } });
});

test('PUSH-60 it is as of the head, whatever is committed while it is read', async () => {
  const server = await testServer();
  await fill(server, 2500, 500);
  const reading = statesOf(server).after(100);
  const whole = statesOf(server).after(0);
  await server.log.append([upsert(3, 9), remove(4)]);
  for (const state of [await reading, await whole]) {
    expect(state.to).toBe(2500);
    const parts = await partsOf(state);
    expect(parts.at(-1)?.last).toBe(2500);
    expect(told(parts)).toHaveLength(500);
  }
});

test('what was erased cannot be told any more, and is told so to each who asks', async () => {
  const server = await testServer();
  await fill(server, 600, 10);
  await server.log.unlink({ first: 1, last: 250 });
  await server.log.erase({ first: 1, last: 250 });
  const states = statesOf(server);
  for (let count = 0; count < 2; count += 1) {
    await expect(states.after(5)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED' });
  }
  expect((await states.after(250)).to).toBe(600);
});

test('PUSH-60 a state from before anything changed is not given again', async () => {
  const server = await testServer();
  const states = statesOf(server);
  const empty = await states.after(0);
  expect([empty.to, empty.length]).toEqual([0, 0]);
  await server.log.append([upsert(1, 1)]);
  expect(await states.after(0)).toMatchObject({ to: 1, length: 1 });
});
