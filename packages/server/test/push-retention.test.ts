import { expect, test, vi } from 'vitest';
import { resumePosition } from '../src/push/endpoint/resume-position.ts';
import { listening } from './push-server.ts';
import { fill, PUBLIC_URL, upsert } from './test-server.ts';

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
  const read = server.log.members.bind(server.log);
  let erasing: Promise<void> | undefined;
  vi.spyOn(server.log, 'members').mockImplementation(async (after, limit) => {
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
