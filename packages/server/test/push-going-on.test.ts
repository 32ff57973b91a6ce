import { type Draft, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { listening } from './push-server.ts';
import { entityOf, fill, upsert } from './test-server.ts';

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

test('PUSH-61 a reader that takes nothing for the time is cut, and goes on by its cursor', async () => {
  const server = await listening({
    // Nothing is left out for it: it is to get every commit.
    push: { limitStallMs: 200, heartbeatMs: 100, limitQueueBytes: 2 ** 30, limitFrameBytes: 2 ** 30 },
  });
  const reader = await server.readBytes();
  const other = await server.read();
  await eventually(async () => expect(await server.connections()).toBe(2));
  reader.pause();
  await eventually(
    async () => {
      for (let commit = 0; commit < 5; commit += 1) await server.log.append([large(server.log.head.cursor.sequence)]);
      expect(await server.connections()).toBe(1);
    },
    { forMs: 20_000, everyMs: 20 },
  );
  const { sequence } = server.log.head.cursor;
  reader.resume();
  await reader.closed;
  // The last event may have come in part, and is none then.
  const last = reader.ids().at(-1) ?? server.cursor(0);
  const after = await server.read('', { 'last-event-id': last });
  await eventually(() => expect(after.events.at(-1)?.id).toBe(server.cursor(sequence)), { forMs: 10_000 });
  expect([...reader.ids(), ...after.events.map(({ id }) => id)]).toEqual(
    Array.from({ length: sequence }, (_, index) => server.cursor(index + 1)),
  );
  // Who reads is not cut.
  expect(other.state.ended).toBe(false);
});

function large(number: number): Draft {
  const entity = entityOf(number);
  const said = quad(namedNode(entity), namedNode('http://example.org/text'), literal('x'.repeat(100_000)));
  return { kind: 'upsert', entity, origin: 'test', fingerprint: String(number), quads: [said] };
}
