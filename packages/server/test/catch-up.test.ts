import { expect, test } from 'vitest';
import { CatchUp } from '../src/push/broadcast/catch-up.ts';
import { PushConnection } from '../src/push/broadcast/push-connection.ts';
import type { Packet } from '../src/push/packets/packet.ts';
import type { PacketSource } from '../src/push/packets/packet-source.ts';
import { pushSettings } from '../src/push/push-options.ts';
import { PushTally } from '../src/push/push-tally.ts';
import { HeldLine } from './held-line.ts';
import { at, filterOf, packetOf, upsert } from './narrowing/packets.ts';
import { broadcasting, settled } from './push-lines.ts';
import { upsert as draft, entityOf } from './test-server.ts';

const FAR_BYTES = 2 * 1024 * 1024;

/** A source that gives one packet at a time, and says of some positions that they are far behind. */
function sourceOf(packets: readonly Packet[], farBehind: readonly number[]): PacketSource {
  const head = { epoch: 'e', sequence: packets.length };
  return {
    head,
    heldFrom: 1,
    subscribe: () => () => {},
    read: async (after) => [packets[after] as Packet],
    bytesAfter: (position) => (farBehind.includes(position) ? FAR_BYTES : 1),
    // As of the next packet, which has all that has changed.
    state: async (after) => ({ after, to: after + 1, length: 1, part: async () => packets[after] as Packet }),
    close: () => {},
  };
}

test('PUSH-24, PUSH-25 after a conflation a reader of a place is told of what leaves it, wherever that was before', async () => {
  const [inside, outside] = [at(1, 1), at(50, 50)];
  const packets = [outside, inside, outside].map((where, after) => packetOf(after, [upsert(1, where)]));
  const line = new HeldLine();
  const connection = new PushConnection({
    line,
    encoding: 'identity',
    isChunked: false,
    filter: filterOf('bbox=0,0,2,2'),
    endsAtMs: 1e12,
    nowMs: 0,
  });
  connection.wasLive = true;
  const parts = { settings: pushSettings(), tally: new PushTally(), clock: () => 0, gapEvent: () => '' };
  // The first one as it is, the second one as the newest state, and the third one as it is again.
  await new CatchUp({ ...parts, source: sourceOf(packets, [1]) }).run(connection, false);
  expect(parts.tally.conflations).toBe(1);
  expect(line.taken.toString().match(/^(?:event|id): .*$/gm)).toEqual([
    ...['event: update', 'id: e-1'],
    'event: conflated',
    ...['event: update', 'id: e-2'],
    ...['event: update', 'id: e-3'],
  ]);
});

test.each([
  ['a small event is not compressed', 1, true],
  ['a large one is', 10_000, false],
])('PUSH-15, PUSH-25 of what one reader of a part alone is sent again %s', async (_name, characters, isStored) => {
  const world = await broadcasting();
  const text = 'x'.repeat(characters);
  const first = world.open();
  await world.log.append([draft(1, 1, text), draft(2, 1, text)]);
  const query = `entity=${encodeURIComponent(entityOf(2))}`;
  const reader = world.open({ after: 0, encoding: 'gzip', query });
  await settled(world.broadcast, () => reader.events().length === 1 && first.events().length === 1);
  expect(reader.events()[0]?.sequences).toEqual([2]);
  expect(reader.line.taken.includes('event: update')).toBe(isStored);
});
