import { literal, type Member, MemberFilter, namedNode, quad } from '@ldes-live/rdf-stream';
import type { NamedNode } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { MemberChange } from '../../src/change.ts';
import { Gate } from '../../src/follow/gate.ts';
import { ConflatingBuffer, Outbox } from '../../src/outbox.ts';
import { version } from '../support/version.ts';

const START_MS = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const A_FILTER = { key: 'a', entities: new Set(['a']), types: new Set<string>(), boxes: [] };

/** A gate at a position of an epoch, before a reader that takes what is delivered, and the clocks of both sides. */
function setUp(sequence: number | undefined, filter?: MemberFilter, limitLeft = 10) {
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
    limitLeft,
  });
  gate.begin();
  const deliver = async (stated: Partial<Member> = {}, isState = false) => {
    const update = { ...version(gate.sequence + 1, `${gate.sequence}`), ...stated };
    gate.accept(update);
    await gate.tell(update, { via: 'pull', endsCommit: true, isState });
    return gate.toldAfterWaiting((await outbox.next()) as MemberChange);
  };
  return { clocks, gate, outbox, deliver };
}

function gateAt(sequence: number | undefined): Gate {
  return setUp(sequence).gate;
}

test('MAL-10 lets the next member through, drops what was seen, and tells what is beyond', () => {
  const gate = gateAt(4);
  expect(gate.accept(version(4, 'a'))).toBe('seen');
  expect(gate.accept(version(6, 'a'))).toBe('beyond');
  expect(gate.position).toEqual({ epoch: 'e', sequence: 4 });
  expect(gate.accept(version(5, 'a'))).toBe('next');
  expect(gate.accept(version(5, 'a'))).toBe('seen');
  expect(gate.position).toEqual({ epoch: 'e', sequence: 5 });
});

test('takes a state with gaps in its sequence, and ends at its cursor', () => {
  const gate = gateAt(undefined);
  expect(gate.position).toBeUndefined();
  gate.restart({ epoch: 'e', sequence: 0 });
  gate.takeState(version(3, 'a'));
  gate.takeState(version(7, 'b'));
  expect(gate.position).toEqual({ epoch: 'e', sequence: 7 });
  gate.restart({ epoch: 'e', sequence: 9 });
  expect(gate.accept(version(10, 'c'))).toBe('next');
});

test('a conflation that is taken moves the position when all of it is here, and counts what it left out', () => {
  const gate = gateAt(4);
  expect([7, 9, 12].map((sequence) => gate.acceptConflated(version(sequence, 'a')))).toEqual([true, true, true]);
  expect(gate.position).toEqual({ epoch: 'e', sequence: 4 });
  gate.endConflated({ epoch: 'e', sequence: 12 });
  expect(gate.position).toEqual({ epoch: 'e', sequence: 12 });
  expect(gate.leftOut).toBe(5);
  expect(gate.accept(version(13, 'a'))).toBe('next');
});

test('a conflation that broke off is not told twice, by whatever way its members come again', () => {
  const again = gateAt(4);
  again.acceptConflated(version(7, 'a'));
  again.acceptConflated(version(9, 'b'));
  expect([7, 9, 14].map((sequence) => again.acceptConflated(version(sequence, 'a')))).toEqual([false, false, true]);
  again.endConflated({ epoch: 'e', sequence: 14 });
  expect(again.leftOut).toBe(7);

  const inOrder = gateAt(4);
  inOrder.acceptConflated(version(7, 'a'));
  const accepted = [5, 6, 7, 8].map((sequence) => inOrder.accept(version(sequence, 'a')));
  expect(accepted).toEqual(['seen', 'seen', 'seen', 'next']);
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
  const update = version(1, 'a');
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

test('what is measured of updates is of those alone that were published while the reading went on', async () => {
  const { clocks, gate, deliver } = setUp(0);
  const isLive = async (lagMs: number, publishedMs: number, isState = false) => {
    clocks.nowMs = publishedMs + lagMs;
    return (await deliver({ time: new Date(publishedMs).toISOString() }, isState)).isLive;
  };
  const figures = () => [gate.updates, gate.maxLagMs, gate.malMisses];
  expect(await isLive(HOUR_MS, START_MS)).toBe(false);
  expect(await isLive(HOUR_MS, START_MS + 1, true)).toBe(false);
  expect(figures()).toEqual([0, 0, 0]);
  expect(await isLive(1000, START_MS + 1)).toBe(true);
  expect(figures()).toEqual([1, 1000, 0]);
  expect(await isLive(1001, START_MS + 1)).toBe(true);
  expect(await isLive(20, START_MS + 1)).toBe(true);
  expect(figures()).toEqual([3, 1001, 1]);
});

test('the age of the data is that of the newest time that the source states, no later than its publication', async () => {
  const { clocks, gate, deliver } = setUp(0);
  expect(gate.dataAgeMs).toBeUndefined();
  clocks.nowMs += HOUR_MS;
  clocks.offsetMs = 500;
  for (const [versionTime, ageMs] of [
    ['2025-12-31T23:00:00Z', 2 * HOUR_MS + 500],
    ['2025-12-31T23:59:59.500Z', HOUR_MS + 1000],
    ['2025-12-31T23:00:00Z', HOUR_MS + 1000],
    ['2036-01-01T00:00:00Z', HOUR_MS + 500],
    ['yesterday', HOUR_MS + 500],
    [undefined, HOUR_MS + 500],
  ] as const) {
    await deliver({ versionTime }, true);
    expect(gate.dataAgeMs).toBe(ageMs);
  }
  clocks.nowMs -= 2 * HOUR_MS;
  expect(gate.dataAgeMs).toBe(0);
});

test('after a gap nothing is older than what was told before it', async () => {
  const { gate, outbox, deliver } = setUp(0);
  const entity = 'a';
  expect(await deliver({ entity, versionTime: '2026-01-01T12:00:00Z' })).toMatchObject({ isNewest: true });
  gate.restart({ epoch: 'f', sequence: 0 });
  await gate.tellGap({ cursor: 'f-0', from: 'e-1', via: 'pull' });
  await outbox.next();
  expect(await deliver({ entity, versionTime: '2026-01-01T11:00:00Z' })).toMatchObject({ isNewest: true });
});

test('a delivery that was late counts for five minutes where others follow', async () => {
  const { clocks, gate } = await delayedBy(19_000);
  const next = async () => {
    const time = new Date(clocks.nowMs - 20).toISOString();
    const update = { ...version(gate.sequence + 1, 'a'), time };
    gate.accept(update);
    await gate.tell(update, { via: 'push', endsCommit: true, openedAtMs: START_MS - 1 });
    return gate.deliveryMs(70);
  };
  clocks.nowMs += 300_000;
  expect([gate.deliveryMs(70), await next()]).toEqual([19_000, 19_000]);
  clocks.nowMs += 1;
  expect(gate.deliveryMs(70)).toBe(20);
});

test('delays by a clock that jumped are forgotten', async () => {
  const { gate } = await delayedBy(HOUR_MS);
  gate.forgetDelays();
  expect(gate.deliveryMs(70)).toBe(70);
});

test('an older version that comes after its entity left a box is not the newest, for as many as are remembered', async () => {
  const box = { west: 3, south: 50, east: 4, north: 52 };
  const filter = { key: 'box', entities: new Set<string>(), types: new Set<string>(), boxes: [box] };
  const { gate, outbox } = setUp(0, new MemberFilter(filter, { isWhole: true, limitRemembered: 10 }), 1);
  /** Whether it came to its reader, a reader of the newest versions, and whether inside. */
  const at = async (entity: string, minute: string, longitude: string) => {
    const [lat, long] = ['lat', 'long'].map((name) => namedNode(`http://www.w3.org/2003/01/geo/wgs84_pos#${name}`));
    const base = version(gate.sequence + 1, entity);
    const subject = namedNode(base.id);
    const quads = [
      quad(subject, lat as NamedNode, literal('51')),
      quad(subject, long as NamedNode, literal(longitude)),
    ];
    const update = { ...base, versionTime: `2026-01-01T00:${minute}:00Z`, quads };
    gate.accept(update);
    await gate.tell(update, { via: 'pull', endsCommit: true });
    return outbox.progress.read > outbox.progress.taken ? ((await outbox.next()) as MemberChange).inFilter : 'older';
  };
  for (const entity of ['urn:a', 'urn:b']) {
    expect(await at(entity, '01', '3.5')).toBe(true);
    expect(await at(entity, '09', '20')).toBe(false);
  }
  expect(await at('urn:b', '05', '3.5')).toBe('older');
  // One more left than is remembered: the first is taken for one that was never there.
  expect(await at('urn:a', '05', '3.5')).toBe(true);
  expect(await at('urn:b', '10', '3.5')).toBe(true);
});
