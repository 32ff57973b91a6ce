import { isStreamError } from '@ldes-live/rdf-stream';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TroubleReader, type TroubleWorld, troubleReader, troubleWorld } from './faults/trouble.ts';

const HOUR_MS = 3_600_000;
/** A time on the wire is of whole seconds, and a look comes up to half a second late. */
const TOLERANCE_MS = 1500;
const SOON_MS = 60_000;

type Surroundings = Pick<Parameters<typeof troubleReader>[0], 'clockOffMs' | 'environment'>;

let time: VirtualTime;
let world: TroubleWorld;
let reader: TroubleReader;
beforeEach(async () => {
  time = new VirtualTime();
  world = await troubleWorld(time);
});
afterEach(async () => {
  await reader.close();
  await world.close();
});

/** Begins to read, until all is read and it is in a state. */
async function followBy(mal: number, state: string, options: Surroundings = {}): Promise<void> {
  reader = troubleReader({ world, time, mal, ...options });
  await publish(1, 2, 3);
  await reader.sees(({ status }) => status.state === state);
}

/** Publishes, and waits until it is read. */
async function publish(...entities: readonly number[]): Promise<void> {
  await world.publish(...entities);
  await reader.arrive();
}

/** It never claimed to be less late than it was. */
function expectHonest(): void {
  const dishonest = reader.samples.filter(({ lagBoundMs, lateMs }) => lagBoundMs < lateMs - TOLERANCE_MS);
  expect(dishonest.length, JSON.stringify(dishonest.slice(0, 3))).toBe(0);
}

/** The log's changes since its last life began, each once and in order. */
function expectEach(): void {
  expect(reader.changes.map(({ kind, member }) => (kind === 'gap' ? kind : member.sequence))).toEqual(
    world.published.map(({ member }) => member.sequence),
  );
  expect(reader.status.gaps).toBe(0);
}

/** What it has now is what lives. */
async function expectState(): Promise<void> {
  const latest = [...reader.follower.latest()].map(([entity, { sequence }]) => [entity, sequence]);
  expect(Object.fromEntries(latest)).toEqual(Object.fromEntries(await world.state()));
}

/** All of it is there, each once and in order, without a gap, and no bound was below the truth. */
async function expectWhole(): Promise<void> {
  expectEach();
  await expectState();
  expectHonest();
}

// By push and by pull.
describe.each([
  { mode: 'push', mal: 2 },
  { mode: 'pull', mal: 20 },
] as const)('$mode', ({ mode, mal }) => {
  const follow = (options?: Surroundings) => followBy(mal, mode === 'push' ? 'pushing' : 'waiting', options);

  test('MAL-10 MAL-20 a server that restarts over its log: nothing is lost, and the trouble is told while it lasts', async () => {
    await follow();
    await publish(1, -2);
    await world.stop();
    await reader.sees(({ status }) => status.reason.includes('could not be read'));
    const { lagBoundMs } = reader.status;
    await reader.sees(({ status }) => status.lagBoundMs > lagBoundMs + 20_000);
    await world.start();
    await publish(2, 4);
    await reader.sees(({ status }) => !status.reason.includes('could not be read'));
    await expectWhole();
    expect(reader.thrown).toEqual([]);
    await publish(5);
    expectEach();
  });

  test('MAL-11 a log that was rebuilt: one gap, and the state of the new log', async () => {
    await follow();
    const before = reader.follower.state.cursor;
    await world.stop();
    await world.start('rebuilt');
    await world.publish(1, 7);
    await publish(-1, 8);
    const at = reader.changes.findIndex(({ kind }) => kind === 'gap');
    expect(reader.changes[at]).toMatchObject({ kind: 'gap', from: before });
    expect(reader.changes.filter(({ kind }) => kind === 'gap')).toHaveLength(1);
    expect(reader.status.gaps).toBe(1);
    await expectState();
    await publish(9);
    await expectState();
    expect(reader.changes.at(-1)?.member?.entity).toMatch(/\/9$/);
    expectHonest();
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
    await publish(3, 4, 5);
    await expectState();
    expectHonest();
    for (const thrown of reader.thrown) expect(isStreamError(thrown), String(thrown)).toBe(true);
    // What may have ended was told as a gap, or was none.
    expect(reader.status.gaps).toBe(reader.changes.filter(({ kind }) => kind === 'gap').length);
    if (reader.status.gaps === 0) expectEach();
  });

  test.each(['with connections that lived on', 'with connections that were cut'])(
    'MAL-20 MAL-21 a laptop that slept for an hour, %s: what it missed is read soon, and counted as late',
    async (how) => {
      await follow();
      const missed = reader.status.malMisses;
      if (how.endsWith('cut')) await world.proxy.leave();
      time.jump(HOUR_MS / 2);
      await world.publish(1, -2);
      time.jump(HOUR_MS / 2);
      const wokenMs = time.clock();
      // The first thing that it says has the hour in it.
      const { lagBoundMs } = reader.status;
      if (reader.follower.state.cursor !== world.head) expect(lagBoundMs).toBeGreaterThanOrEqual(HOUR_MS / 2);
      if (how.endsWith('cut')) await world.proxy.comeBack();
      await reader.arrive();
      expect(time.clock() - wokenMs).toBeLessThan(mal * 1000 + SOON_MS);
      expect(reader.status.malMisses).toBe(missed + 2);
      await publish(5);
      await expectWhole();
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
      await publish(1);
      expect(time.clock() - setMs).toBeLessThan(mal * 1000 + SOON_MS);
      // Whatever has to be asked for it has been asked by then.
      await time.pass(2 * mal * 1000 + SOON_MS);
      await publish(2);
      const truthMs = time.clock() - Date.parse(world.published.at(-1)?.member.time as string);
      const { lagMs = Number.NaN } = reader.changes.at(-1) ?? {};
      expect(Math.abs(lagMs - truthMs)).toBeLessThan(TOLERANCE_MS);
      const missed = reader.status.malMisses;
      await publish(3);
      const isLate = (reader.changes.at(-1)?.lagMs ?? 0) > mal * 1000;
      expect(reader.status.malMisses).toBe(missed + (isLate ? 1 : 0));
      expect(reader.status.lagBoundMs).toBeLessThan(HOUR_MS / 2);
      expectEach();
      await expectState();
    },
  );

  test('MAL-12 MAL-20 a network that refuses connections for minutes: it asks ever more rarely, and reads on after', async () => {
    await follow();
    const { requests } = reader.status;
    await world.proxy.leave();
    await world.publish(1, -2);
    const leftMs = time.clock();
    await reader.sees(({ status }) => status.lagBoundMs > 180_000);
    const awayMs = time.clock() - leftMs;
    // Waits of 0.5 s at least, doubling until they are as long as the MAL, from 5 to 30 s, or half of that; a request may be
    // two.
    const longestMs = Math.min(30_000, Math.max(5_000, mal * 1000));
    expect(reader.status.requests - requests).toBeLessThan(2 * (6 + awayMs / (longestMs / 2)));
    expect(reader.status.reason).toMatch(/could not be read/);
    await world.proxy.comeBack();
    const backMs = time.clock();
    await reader.arrive();
    expect(time.clock() - backMs).toBeLessThan(30_000 + mal * 1000 + SOON_MS);
    expect(reader.status.malMisses).toBeGreaterThanOrEqual(2);
    await expectWhole();
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
    await reader.sees(({ status }) => /offline/i.test(status.reason));
    const { requests } = reader.status;
    await time.pass(300_000);
    expect(reader.status.requests - requests).toBeLessThanOrEqual(1);
    expect(reader.status.lagBoundMs).toBeGreaterThan(280_000);
    await world.proxy.comeBack();
    isOnline = true;
    const onlineMs = time.clock();
    for (const listener of listeners) listener();
    await reader.arrive();
    expect(time.clock() - onlineMs).toBeLessThan(15_000);
    await reader.sees(({ status }) => !/offline/i.test(status.reason));
    await expectWhole();
    expect(reader.status.malMisses).toBeGreaterThanOrEqual(2);
  });

  test('MAL-10 a server that moves to another address: nothing is lost', async () => {
    await follow();
    await world.move();
    await publish(1, -2);
    await world.move();
    await publish(4);
    await expectWhole();
    expect(reader.thrown).toEqual([]);
  });
});

test('MAL-20 a laptop that slept for an hour in the middle of a long wait between polls: it looks soon after it woke', async () => {
  await followBy(900, 'waiting');
  time.jump(HOUR_MS / 2);
  await world.publish(1, -2);
  time.jump(HOUR_MS / 2);
  const wokenMs = time.clock();
  await reader.arrive();
  // What was left of the wait is up to 900 s.
  expect(time.clock() - wokenMs).toBeLessThan(SOON_MS);
  expect(reader.status.malMisses).toBe(2);
  expectHonest();
});

test('MAL-16 MAL-20 a proxy that begins to hold events back is found out, the stream is followed by pull, and by push again when it passes them on', async () => {
  await followBy(2, 'pushing');
  world.channel.isHolding = true;
  await publish(1, -2);
  await reader.sees(({ status }) => status.mode === 'pull');
  expect(reader.status.reason).toMatch(/push/);
  expect(reader.status.malMisses).toBeGreaterThanOrEqual(2);
  await publish(4);
  world.channel.isHolding = false;
  await reader.sees(({ status }) => status.state === 'pushing');
  await publish(5);
  await expectWhole();
});
