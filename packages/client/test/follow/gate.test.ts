import { type Member, MemberFilter } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import type { MemberChange } from '../../src/change.ts';
import { Gate } from '../../src/follow/gate.ts';
import { ConflatingBuffer, Outbox } from '../../src/outbox.ts';

const START_MS = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const A_FILTER = { key: 'a', entities: new Set(['a']), types: new Set<string>(), boxes: [] };

/** A gate at a position of an epoch, before a reader that takes nothing, and the clocks of both sides. */
function setUp(sequence: number | undefined, filter?: MemberFilter) {
  const clocks = { nowMs: START_MS, offsetMs: 0 };
  const outbox = new Outbox(new ConflatingBuffer(100));
  outbox.open(new AbortController().signal);
  const gate = new Gate({
    outbox,
    position: sequence === undefined ? undefined : { epoch: 'e', sequence },
    malMs: 1_000,
    clock: () => clocks.nowMs,
    clockOffsetMs: () => clocks.offsetMs,
    filter,
  });
  gate.begin();
  return { clocks, gate, outbox };
}

function gateAt(sequence: number | undefined): Gate {
  return setUp(sequence).gate;
}

function member(sequence: number, entity: string, kind: Member['kind'] = 'upsert'): Member {
  return { id: `${entity}#${sequence}`, entity, kind, sequence, time: '2026-01-01T00:00:00.000Z', quads: [] };
}

test('MAL-10 lets the next member through, drops what was seen, and tells what is beyond', () => {
  const gate = gateAt(4);
  expect(gate.accept(member(4, 'a'))).toBe('seen');
  expect(gate.accept(member(6, 'a'))).toBe('beyond');
  expect(gate.position).toEqual({ epoch: 'e', sequence: 4 });
  expect(gate.accept(member(5, 'a'))).toBe('next');
  expect(gate.accept(member(5, 'a'))).toBe('seen');
  expect(gate.position).toEqual({ epoch: 'e', sequence: 5 });
});

test('takes a state with gaps in its sequence, and ends at its cursor', () => {
  const gate = gateAt(undefined);
  expect(gate.position).toBeUndefined();
  gate.restart({ epoch: 'e', sequence: 0 });
  gate.takeState(member(3, 'a'));
  gate.takeState(member(7, 'b'));
  expect(gate.position).toEqual({ epoch: 'e', sequence: 7 });
  gate.restart({ epoch: 'e', sequence: 9 });
  expect(gate.accept(member(10, 'c'))).toBe('next');
});

test('a conflation that is taken moves the position when all of it is here, and counts what it left out', () => {
  const gate = gateAt(4);
  expect([7, 9, 12].map((sequence) => gate.acceptConflated(member(sequence, 'a')))).toEqual([true, true, true]);
  expect(gate.position).toEqual({ epoch: 'e', sequence: 4 });
  gate.endConflated({ epoch: 'e', sequence: 12 });
  expect(gate.position).toEqual({ epoch: 'e', sequence: 12 });
  expect(gate.leftOut).toBe(5);
  expect(gate.accept(member(13, 'a'))).toBe('next');
});

test('a conflation that broke off is not told twice, by whatever way its members come again', () => {
  const again = gateAt(4);
  again.acceptConflated(member(7, 'a'));
  again.acceptConflated(member(9, 'b'));
  expect([7, 9, 14].map((sequence) => again.acceptConflated(member(sequence, 'a')))).toEqual([false, false, true]);
  again.endConflated({ epoch: 'e', sequence: 14 });
  expect(again.leftOut).toBe(7);

  const inOrder = gateAt(4);
  inOrder.acceptConflated(member(7, 'a'));
  expect([5, 6, 7, 8].map((sequence) => inOrder.accept(member(sequence, 'a')))).toEqual([
    'seen',
    'seen',
    'seen',
    'next',
  ]);
  expect(inOrder.leftOut).toBe(2);
});

test('a conflation that tells nothing to this reader leaves out all that it stands for', () => {
  const gate = gateAt(4);
  gate.endConflated({ epoch: 'e', sequence: 3 });
  expect(gate.position).toEqual({ epoch: 'e', sequence: 4 });
  gate.endConflated({ epoch: 'e', sequence: 8 });
  expect([gate.position?.sequence, gate.leftOut]).toEqual([8, 4]);
  // With a filter nobody knows which of them it left out.
  const { gate: filtered } = setUp(4, new MemberFilter(A_FILTER, { isWhole: false, limitRemembered: 1 }));
  filtered.endConflated({ epoch: 'e', sequence: 8 });
  expect(filtered.leftOut).toBe(0);
});

/** A gate to which an update came by push so late, by the clocks of both sides. */
async function delayedBy(delayMs: number, openedAtMs: number | undefined = START_MS - 1) {
  const { clocks, gate } = setUp(0);
  clocks.nowMs += delayMs;
  const update = member(1, 'a');
  gate.accept(update);
  await gate.tell(update, { via: 'push', endsCommit: true, openedAtMs });
  return { clocks, gate };
}

test('how late pushed updates come is told by the clock offset that is known now, not by that of when they came', async () => {
  const { clocks, gate } = await delayedBy(HOUR_MS + 100);
  expect(gateAt(0).deliveryMs(70)).toBe(70);
  const known = [0, -HOUR_MS, -2 * HOUR_MS].map((offsetMs) => {
    clocks.offsetMs = offsetMs;
    return gate.deliveryMs(70);
  });
  expect(known).toEqual([HOUR_MS + 100, 100, 0]);
});

test.each([
  ['came by no connection', Number.POSITIVE_INFINITY],
  ['was published before the connection was opened', START_MS],
])('what %s does not tell how late pushed updates come', async (_what, openedAtMs) => {
  expect((await delayedBy(900, openedAtMs)).gate.deliveryMs(70)).toBe(70);
});

test('MAL-117 what is measured of updates is of those alone that were published while the reading went on', async () => {
  const { clocks, gate, outbox } = setUp(0);
  const deliver = async (lagMs: number, publishedMs: number, isState = false) => {
    clocks.nowMs = publishedMs + lagMs;
    const update = { ...member(gate.sequence + 1, `${gate.sequence}`), time: new Date(publishedMs).toISOString() };
    gate.accept(update);
    await gate.tell(update, { via: 'pull', endsCommit: true, isState });
    return gate.toldAfterWaiting((await outbox.next()) as MemberChange).isLive;
  };
  const figures = () => [gate.updates, gate.maxLagMs, gate.malMisses];
  expect(await deliver(HOUR_MS, START_MS)).toBe(false);
  expect(await deliver(HOUR_MS, START_MS + 1, true)).toBe(false);
  expect(figures()).toEqual([0, 0, 0]);
  expect(await deliver(1000, START_MS + 1)).toBe(true);
  expect(figures()).toEqual([1, 1000, 0]);
  expect(await deliver(1001, START_MS + 1)).toBe(true);
  expect(await deliver(20, START_MS + 1)).toBe(true);
  expect(figures()).toEqual([3, 1001, 1]);
});

test('MAL-116 the age of the data is that of the newest time that the source states, no later than its publication', async () => {
  const { clocks, gate, outbox } = setUp(0);
  expect(gate.dataAgeMs).toBeUndefined();
  const ageAfter = async (versionTime?: string) => {
    const update = { ...member(gate.sequence + 1, `${gate.sequence}`), versionTime };
    gate.accept(update);
    await gate.tell(update, { via: 'pull', endsCommit: true, isState: true });
    gate.toldAfterWaiting((await outbox.next()) as MemberChange);
    return gate.dataAgeMs;
  };
  clocks.nowMs += HOUR_MS;
  clocks.offsetMs = 500;
  expect(await ageAfter('2025-12-31T23:00:00Z')).toBe(2 * HOUR_MS + 500);
  expect(await ageAfter('2025-12-31T23:59:59.500Z')).toBe(HOUR_MS + 1000);
  expect(await ageAfter('2025-12-31T23:00:00Z')).toBe(HOUR_MS + 1000);
  expect(await ageAfter('2036-01-01T00:00:00Z')).toBe(HOUR_MS + 500);
  expect(await ageAfter('yesterday')).toBe(HOUR_MS + 500);
  expect(await ageAfter()).toBe(HOUR_MS + 500);
  clocks.nowMs -= 2 * HOUR_MS;
  expect(gate.dataAgeMs).toBe(0);
});

test('MAL-94 after a gap nothing is older than what was told before it', async () => {
  const { gate, outbox } = setUp(0);
  const tell = async (versionTime: string) => {
    const update = { ...member(gate.sequence + 1, 'a'), versionTime };
    gate.accept(update);
    await gate.tell(update, { via: 'pull', endsCommit: true });
    return ((await outbox.next()) as MemberChange).isNewest;
  };
  expect(await tell('2026-01-01T12:00:00Z')).toBe(true);
  gate.restart({ epoch: 'f', sequence: 0 });
  await gate.tellGap({ cursor: 'f-0', from: 'e-1', via: 'pull' });
  await outbox.next();
  expect(await tell('2026-01-01T11:00:00Z')).toBe(true);
});

test('MAL-63 delays by a clock that jumped are forgotten', async () => {
  const { gate } = await delayedBy(HOUR_MS);
  gate.forgetDelays();
  expect(gate.deliveryMs(70)).toBe(70);
});
