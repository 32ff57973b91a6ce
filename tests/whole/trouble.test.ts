import { isStreamError } from '@ldes-live/rdf-stream';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type TroubleEnvironment,
  type TroubleReader,
  type TroubleWorld,
  troubleReader,
  troubleWorld,
} from './faults/trouble.ts';

const HOUR_MS = 3_600_000;
/** A time on the wire is of whole seconds, and a look comes up to half a second late. */
const TOLERANCE_MS = 1500;
const SOON_MS = 60_000;

/** It never claimed to be less late than it was. */
function expectHonest({ samples }: TroubleReader): void {
  const dishonest = samples.filter(({ lagBoundMs, lateMs }) => lagBoundMs < lateMs - TOLERANCE_MS);
  const shown = dishonest
    .slice(0, 3)
    .map(({ state, lagBoundMs, lateMs, reason }) => ({ state, lagBoundMs, lateMs, reason }));
  expect(dishonest.length, JSON.stringify(shown)).toBe(0);
}

// By push and by pull.
describe.each([
  { mode: 'push', mal: 2 },
  { mode: 'pull', mal: 20 },
] as const)('$mode', ({ mode, mal }) => {
  let time: VirtualTime;
  let world: TroubleWorld;
  let reader: TroubleReader;

  // A reader that has arrived, and goes by the mode.
  const follow = async (
    options: { readonly clockOffMs?: () => number; readonly environment?: TroubleEnvironment } = {},
  ) => {
    reader = troubleReader({ world, time, mal, ...options });
    await world.publish(1, 2, 3);
    await reader.arrive();
    await reader.sees(({ follower: { status } }) => status.state === (mode === 'push' ? 'pushing' : 'waiting'));
  };
  beforeEach(async () => {
    time = new VirtualTime();
    world = await troubleWorld(time);
  });
  afterEach(async () => {
    await reader.close();
    await world.close();
  });

  /** The log's changes since its last life began, each once and in order. */
  const expectEach = () => {
    expect(reader.changes.map(({ kind, member }) => (kind === 'gap' ? kind : member.sequence))).toEqual(
      world.published.map(({ member }) => member.sequence),
    );
  };
  /** What it has now is what lives. */
  const expectState = async () => {
    const latest = [...reader.follower.latest()].map(([entity, { sequence }]) => [entity, sequence]);
    expect(Object.fromEntries(latest)).toEqual(Object.fromEntries(await world.state()));
  };

  test('MAL-10 MAL-20 a server that restarts over its log: nothing is lost, and the trouble is told while it lasts', async () => {
    await follow();
    await world.publish(1, -2);
    await reader.arrive();
    await world.stop();
    await reader.sees(({ follower: { status } }) => status.reason.includes('could not be read'));
    const { lagBoundMs } = reader.follower.status;
    await reader.sees(({ follower: { status } }) => status.lagBoundMs > lagBoundMs + 20_000);
    await world.start();
    await world.publish(2, 4);
    await reader.arrive();
    await reader.sees(({ follower: { status } }) => !status.reason.includes('could not be read'));
    expectEach();
    await expectState();
    expectHonest(reader);
    expect(reader.follower.status.gaps).toBe(0);
    expect(reader.thrown).toEqual([]);
    await world.publish(5);
    await reader.arrive();
    expectEach();
  });

  test('MAL-11 a log that was rebuilt: one gap, and the state of the new log', async () => {
    await follow();
    const before = reader.follower.state.cursor;
    await world.stop();
    await world.start('rebuilt');
    await world.publish(1, 7);
    await world.publish(-1, 8);
    await reader.arrive();
    const at = reader.changes.findIndex(({ kind }) => kind === 'gap');
    expect(reader.changes[at]).toMatchObject({ kind: 'gap', from: before });
    expect(reader.changes.filter(({ kind }) => kind === 'gap')).toHaveLength(1);
    expect(reader.follower.status.gaps).toBe(1);
    await expectState();
    await world.publish(9);
    await reader.arrive();
    await expectState();
    expect(reader.changes.at(-1)?.member?.entity).toMatch(/\/9$/);
    expectHonest(reader);
    expect(reader.thrown).toEqual([]);
  });

  test('MAL-22 a stream that is removed and comes back: its reader is told, and reads on when it asks again', async () => {
    await follow();
    await world.stop();
    await world.start('without');
    await reader.sees(({ thrown }) => thrown.length > 0);
    const [error] = reader.thrown;
    expect(isStreamError(error, 'ERR_RESPONSE_STATUS') && error.details.status).toBe(404);
    await world.stop();
    await world.start();
    await world.publish(3, 4, 5);
    await reader.arrive();
    await expectState();
    expectHonest(reader);
    for (const thrown of reader.thrown) expect(isStreamError(thrown), String(thrown)).toBe(true);
    // What may have ended was told as a gap, or was none.
    expect(reader.follower.status.gaps).toBe(reader.changes.filter(({ kind }) => kind === 'gap').length);
    if (reader.follower.status.gaps === 0) expectEach();
  });

  test.each(['with connections that lived on', 'with connections that were cut'])(
    'MAL-20 MAL-21 a laptop that slept for an hour, %s: what it missed is read soon, and counted as late',
    async (how) => {
      await follow();
      const missed = reader.follower.status.malMisses;
      if (how.endsWith('cut')) await world.proxy.leave();
      time.jump(HOUR_MS / 2);
      await world.publish(1, -2);
      time.jump(HOUR_MS / 2);
      const wokenMs = time.clock();
      // The first thing that it says has the hour in it.
      const { lagBoundMs } = reader.follower.status;
      if (reader.follower.state.cursor !== world.head) expect(lagBoundMs).toBeGreaterThanOrEqual(HOUR_MS / 2);
      if (how.endsWith('cut')) await world.proxy.comeBack();
      await reader.arrive();
      expect(time.clock() - wokenMs).toBeLessThan(mal * 1000 + SOON_MS);
      expect(reader.follower.status.malMisses).toBe(missed + 2);
      await world.publish(5);
      await reader.arrive();
      expectEach();
      await expectState();
      expectHonest(reader);
      expect(reader.follower.status.gaps).toBe(0);
      expect(reader.thrown).toEqual([]);
    },
  );

  test.each([HOUR_MS, -HOUR_MS])(
    'MAL-4 a clock that is set by %i ms: nothing is held up, and lags are right again soon',
    async (byMs) => {
      let clockOffMs = 0;
      await follow({ clockOffMs: () => clockOffMs });
      clockOffMs = byMs;
      const setMs = time.clock();
      await world.publish(1);
      await reader.arrive();
      expect(time.clock() - setMs).toBeLessThan(mal * 1000 + SOON_MS);
      // Whatever has to be asked for it has been asked by then.
      await time.pass(2 * mal * 1000 + SOON_MS);
      await world.publish(2);
      await reader.arrive();
      const truthMs = time.clock() - Date.parse(world.published.at(-1)?.member.time as string);
      const { lagMs = Number.NaN } = reader.changes.at(-1) ?? {};
      expect(Math.abs(lagMs - truthMs)).toBeLessThan(TOLERANCE_MS);
      const missed = reader.follower.status.malMisses;
      await world.publish(3);
      await reader.arrive();
      const isLate = (reader.changes.at(-1)?.lagMs ?? 0) > mal * 1000;
      expect(reader.follower.status.malMisses).toBe(missed + (isLate ? 1 : 0));
      expect(reader.follower.status.lagBoundMs).toBeLessThan(HOUR_MS / 2);
      expectEach();
      await expectState();
      expect(reader.follower.status.gaps).toBe(0);
    },
  );

  test('MAL-12 MAL-20 a network that refuses connections for minutes: it asks ever more rarely, and reads on after', async () => {
    await follow();
    const { requests } = reader.follower.status;
    await world.proxy.leave();
    await world.publish(1, -2);
    const leftMs = time.clock();
    await reader.sees(({ follower: { status } }) => status.lagBoundMs > 180_000);
    const awayMs = time.clock() - leftMs;
    // Waits of 0.5 s at least, doubling until they are as long as the MAL, from 5 to 30 s, or half of that; a request may be
    // two.
    const longestMs = Math.min(30_000, Math.max(5_000, mal * 1000));
    expect(reader.follower.status.requests - requests).toBeLessThan(2 * (6 + awayMs / (longestMs / 2)));
    expect(reader.follower.status.reason).toMatch(/could not be read/);
    await world.proxy.comeBack();
    const backMs = time.clock();
    await reader.arrive();
    expect(time.clock() - backMs).toBeLessThan(30_000 + mal * 1000 + SOON_MS);
    expect(reader.follower.status.malMisses).toBeGreaterThanOrEqual(2);
    expectEach();
    await expectState();
    expectHonest(reader);
  });

  test('MAL-20 surroundings that are offline: it asks for nothing, says so, and reads on at once when they are online', async () => {
    let isOnline = true;
    const listeners = new Set<() => void>();
    const environment = {
      isOnline: () => isOnline,
      onOnline: (listener: () => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      pushSlot: async () => () => {},
    };
    await follow({ environment });
    isOnline = false;
    await world.proxy.leave();
    await world.publish(1, -2);
    await reader.sees(({ follower: { status } }) => /offline/i.test(status.reason));
    const { requests } = reader.follower.status;
    await time.pass(300_000);
    expect(reader.follower.status.requests - requests).toBeLessThanOrEqual(1);
    expect(reader.follower.status.lagBoundMs).toBeGreaterThan(280_000);
    await world.proxy.comeBack();
    isOnline = true;
    const onlineMs = time.clock();
    for (const listener of listeners) listener();
    await reader.arrive();
    expect(time.clock() - onlineMs).toBeLessThan(15_000);
    await reader.sees(({ follower: { status } }) => !/offline/i.test(status.reason));
    expectEach();
    await expectState();
    expectHonest(reader);
    expect(reader.follower.status.malMisses).toBeGreaterThanOrEqual(2);
  });

  test('MAL-10 a server that moves to another address: nothing is lost', async () => {
    await follow();
    await world.move();
    await world.publish(1, -2);
    await reader.arrive();
    await world.move();
    await world.publish(4);
    await reader.arrive();
    expectEach();
    await expectState();
    expectHonest(reader);
    expect(reader.follower.status.gaps).toBe(0);
    expect(reader.thrown).toEqual([]);
  });
});

test('MAL-20 MAL-63 a laptop that slept for an hour in the middle of a long wait between polls: it looks soon after it woke', async () => {
  const time = new VirtualTime();
  const world = await troubleWorld(time);
  const reader = troubleReader({ world, time, mal: 900 });
  await world.publish(1, 2, 3);
  await reader.arrive();
  await reader.sees(({ follower: { status } }) => status.state === 'waiting');
  time.jump(HOUR_MS / 2);
  await world.publish(1, -2);
  time.jump(HOUR_MS / 2);
  const wokenMs = time.clock();
  await reader.arrive();
  const tookMs = time.clock() - wokenMs;
  await reader.close();
  await world.close();
  // What was left of the wait is up to 900 s.
  expect(tookMs).toBeLessThan(SOON_MS);
  expect(reader.follower.status.malMisses).toBe(2);
  expectHonest(reader);
});

describe('a proxy that begins to hold events back', () => {
  test('MAL-16 MAL-20 it is found out, the stream is followed by pull, and by push again when it passes them on', async () => {
    const time = new VirtualTime();
    const world = await troubleWorld(time);
    const reader = troubleReader({ world, time, mal: 2 });
    await world.publish(1, 2, 3);
    await reader.arrive();
    await reader.sees(({ follower: { status } }) => status.state === 'pushing');
    world.channel.isHolding = true;
    await world.publish(1, -2);
    await reader.arrive();
    await reader.sees(({ follower: { status } }) => status.mode === 'pull');
    expect(reader.follower.status.reason).toMatch(/push/);
    expect(reader.follower.status.malMisses).toBeGreaterThanOrEqual(2);
    await world.publish(4);
    await reader.arrive();
    world.channel.isHolding = false;
    await reader.sees(({ follower: { status } }) => status.state === 'pushing');
    await world.publish(5);
    await reader.arrive();
    const read = reader.changes.map(({ kind, member }) => (kind === 'gap' ? kind : member.sequence));
    expect(read).toEqual(world.published.map(({ member }) => member.sequence));
    await reader.close();
    await world.close();
    expectHonest(reader);
  });
});
