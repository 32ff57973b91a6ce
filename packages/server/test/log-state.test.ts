import { prefixes } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import { LogState } from '../src/push/log-state.ts';
import type { Packet } from '../src/push/packet.ts';
import type { State } from '../src/push/packet-source.ts';
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
  const state = await statesOf(server).after(3);
  expect([state.after, state.to]).toEqual([3, 8]);
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
  expect((await states.after(251)).length).toBe(0);
});

test('PUSH-60 those who ask at about the same time get the same one, and later ones a newer one', async () => {
  const server = await testServer();
  await fill(server, 300, 300);
  const states = statesOf(server);
  const members = vi.spyOn(server.log, 'members');
  const [first, second] = await Promise.all([states.after(10), states.after(10)]);
  expect(second).toBe(first);
  expect(first?.part(0)).toBe(second?.part(0));
  await server.log.append(Array.from({ length: 250 }, (_, index) => upsert(index, 7)));
  expect(await states.after(10)).toBe(first);
  expect(members).toHaveBeenCalledTimes(1);
  await server.log.append([upsert(1, 8)]);
  const newer = await states.after(10);
  expect([first?.to, newer.to]).toEqual([300, 551]);
  expect(await states.after(11)).not.toBe(newer);
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
