import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import type { LoadPlan } from '../../src/load/load-messages.ts';
import { LoadState } from '../../src/load/load-state.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';
import { openAll } from '../../src/load/open-all.ts';
import { PushReader } from '../../src/load/push-reader.ts';
import { emptySequenceTally } from '../../src/load/sequence-check.ts';
import { startExpressPeer } from '../../src/subjects/express-peer.ts';
import { startFastifySsePeer } from '../../src/subjects/fastify-sse-peer.ts';
import { startLivePeer } from '../../src/subjects/live-peer.ts';
import type { Peer } from '../../src/subjects/peer.ts';

/** Waits for what comes; the limit is for what hangs. */
const until = (holds: () => void) => eventually(holds);

const EVENT_BYTES = 5200;
const READERS = 3;

async function read(peer: Peer, more: Partial<LoadPlan> = {}) {
  const plan: LoadPlan = {
    readers: READERS,
    firstReader: 0,
    port: peer.port,
    path: peer.path,
    headers: { 'accept-encoding': 'identity' },
    localAddress: '127.0.0.1',
    opening: 2,
    comesBack: false,
    ...more,
  };
  const state = new LoadState();
  const readers = Array.from({ length: READERS }, (_, number) => new PushReader(number, plan, state));
  await openAll(readers, plan.opening);
  return { state, readers, stop: () => readers.map((reader) => reader.stop()) };
}

const live = () => startLivePeer({ workload: 'sized', eventBytes: EVENT_BYTES });

async function sample(): Promise<string> {
  const peer = await live();
  await peer.close();
  return peer.sample ?? '';
}

test.each([
  ['the framework', live],
  ['the Express loop', async () => startExpressPeer(await sample())],
  ['@fastify/sse', async () => startFastifySsePeer(await sample())],
])('every reader of %s gets every update with its instant', async (_, start) => {
  const peer = await start();
  const { state, stop } = await read(peer);
  expect(state.tally).toMatchObject({ open: READERS, refused: 0 });
  const stamps = [monotonicMicros(), monotonicMicros() + 1];
  for (const [index, stamp] of stamps.entries()) await peer.publish(stamp, index);
  await until(() => expect(state.tally.events).toBe(READERS * stamps.length));
  expect(state.take().arrivals.map(({ stamp, events }) => [stamp, events])).toEqual(
    stamps.map((one) => [one, READERS]),
  );
  stop();
  await peer.close();
});

test('readers that are cut come back and lose nothing', async () => {
  const peer = await live();
  const { state, readers, stop } = await read(peer, { step: peer.commits?.entities ?? 1, comesBack: true });
  await peer.publish(monotonicMicros(), 0);
  await until(() => expect(state.tally.events).toBe(READERS));
  for (const reader of readers) reader.cut();
  await until(() => expect(state.tally.open).toBe(0));
  await peer.publish(monotonicMicros(), 1);
  await until(() => expect(readers.map(({ lastId }) => lastId)).toEqual(Array(READERS).fill(peer.head?.())));
  expect(state.take().sequence).toEqual(emptySequenceTally());
  stop();
  await peer.close();
});

test('those that are to decode do, and the others count bytes', async () => {
  const peer = await live();
  const { state, stop } = await read(peer, { headers: { 'accept-encoding': 'gzip' }, isStamped: false, decoded: 1 });
  await peer.publish(monotonicMicros(), 0);
  await until(() => expect(state.tally.events).toBe(1));
  await until(() => expect(state.tally.bytes).toBeGreaterThan(READERS * 300));
  stop();
  await peer.close();
});

test('a reader that stops reading gets what it lacks when it goes on, and one that is refused is told', async () => {
  const peer = await live();
  const { state, readers, stop } = await read(peer);
  readers[0]?.pause();
  await peer.publish(monotonicMicros(), 0);
  await until(() => expect(state.tally.events).toBe(READERS - 1));
  readers[0]?.resume();
  await until(() => expect(state.tally.events).toBe(READERS));
  const refused = await read(peer, { path: '/nothing/events' });
  expect(refused.state.tally).toMatchObject({ open: 0, refused: READERS });
  stop();
  await peer.close();
});
