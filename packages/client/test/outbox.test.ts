import { setImmediate as turn } from 'node:timers/promises';
import { literal, type Member, namedNode, quad } from '@ldes-live/rdf-stream';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { Change, MemberChange } from '../src/change.ts';
import { Checkpoints, ConflatingBuffer, Outbox } from '../src/outbox.ts';
import { version } from './support/version.ts';

/** A change of a log `e` unless said otherwise, with no earlier version left out. */
function change(sequence: number, entity: string, kind: Member['kind'] = 'upsert', epoch = 'e') {
  const told = { via: 'pull', lagMs: 0, isLive: true, conflated: 0, isNewest: true, endsCommit: true, inFilter: true };
  return { kind, member: version(sequence, entity, kind), cursor: `${epoch}-${sequence}`, ...told } as MemberChange;
}

/** A gap from a cursor of one log to one of another. */
const gap = (from: string, cursor: string): Change => ({ kind: 'gap', from, cursor, via: 'pull' });

test('a version that is not the newest is left out, whether one of its entity waits or none', () => {
  const older = (sequence: number, entity: string) => ({ ...change(sequence, entity), isNewest: false });
  const buffer = new ConflatingBuffer(1);
  for (const one of [change(1, 'bus'), older(2, 'bus'), older(3, 'tram')]) expect(buffer.put(one)).toBe(true);
  expect([buffer.puts, buffer.conflated]).toEqual([3, 2]);
  expect(buffer.take()).toMatchObject({ member: { id: 'bus/v1' }, conflated: 1, cursor: 'e-3' });
  expect(buffer.take()).toBeUndefined();
});

test('of quads no more wait than the limit, in place of others too; one change alone has room', () => {
  const heavy = (sequence: number, entity: string, quads: number) => {
    const made = change(sequence, entity);
    return {
      ...made,
      member: { ...made.member, quads: Array(quads).fill(quad(namedNode('e:s'), namedNode('e:p'), literal(''))) },
    };
  };
  const buffer = new ConflatingBuffer(9, 10);
  expect([heavy(1, 'bus', 20), heavy(2, 'tram', 1)].map((one) => buffer.put(one))).toEqual([true, false]);
  buffer.take();
  expect([heavy(2, 'tram', 4), heavy(3, 'bus', 4)].map((one) => buffer.put(one))).toEqual([true, true]);
  expect([heavy(4, 'tram', 3), heavy(4, 'tram', 2)].map((one) => buffer.put(one))).toEqual([false, true]);
  for (let left = 2; left > 0; left -= 1) buffer.take();
  expect(buffer.put(heavy(5, 'bus', 10))).toBe(true);
});

/** What is to come true of the buffer, kept in the simplest way. */
interface Model {
  epoch: string;
  /** The sequence of the last change put. */
  head: number;
  /** Versions put since the last gap that were not taken nor left out, by entity, oldest entity first. */
  readonly waiting: Map<string, MemberChange[]>;
  /** The gap that waits. */
  gap: { from: string; to: string } | undefined;
  /** Every change put, by epoch and sequence. */
  readonly log: Map<string, Change[]>;
  conflated: number;
}

const LIMIT = 3;
const met = new Floors({ put: 500, conflated: 500, full: 150, gap: 100 });

function put(
  model: Model,
  buffer: ConflatingBuffer,
  { entity, kind, isLive }: Pick<MemberChange, 'kind' | 'isLive'> & Pick<Member, 'entity'>,
): void {
  const next = { ...change(model.head + 1, entity, kind, model.epoch), isLive };
  const versions = model.waiting.get(entity);
  const fits = versions !== undefined || model.waiting.size < LIMIT;
  expect(buffer.put(next)).toBe(fits);
  met.count(!fits ? 'full' : versions ? 'conflated' : 'put');
  if (!fits) return;
  model.head += 1;
  model.log.get(model.epoch)?.push(next);
  if (versions) model.conflated += 1;
  model.waiting.set(entity, [...(versions ?? []), next]);
}

function putGap(model: Model, buffer: ConflatingBuffer): void {
  const from = `${model.epoch}-${model.head}`;
  model.epoch = `${model.epoch}x`;
  model.head = 0;
  expect(buffer.put(gap(from, `${model.epoch}-0`))).toBe(true);
  model.log.set(model.epoch, []);
  model.waiting.clear();
  model.gap = { from: model.gap?.from ?? from, to: `${model.epoch}-0` };
}

function takeOne(model: Model, buffer: ConflatingBuffer): void {
  const taken = buffer.take();
  if (model.gap) {
    expect(taken).toEqual(gap(model.gap.from, model.gap.to));
    met.count('gap');
    model.gap = undefined;
    return;
  }
  const [versions = []] = model.waiting.values();
  expect(taken?.member).toBe(versions.at(-1)?.member);
  expect(taken?.kind).toBe(versions.at(-1)?.kind);
  if (!taken?.member) return;
  expect(taken.conflated).toBe(versions.length - 1);
  model.waiting.delete(taken.member.entity);
  expectNothingLost(model, taken.cursor);
}

function checkInvariants(model: Model, buffer: ConflatingBuffer): void {
  expect(buffer.puts > buffer.takenTo).toBe(model.waiting.size > 0 || model.gap !== undefined);
  const live = [...model.waiting.values()].flatMap((versions) => versions.find(({ isLive }) => isLive) ?? []);
  expect([...buffer.live]).toEqual(live.sort((left, right) => left.member.sequence - right.member.sequence));
  expect(model.waiting.size).toBeLessThanOrEqual(LIMIT);
  expect(buffer.conflated).toBe(model.conflated);
  const resume = buffer.resumeCursor(`${model.epoch}-${model.head}`);
  if (model.gap) expect(resume).toBe(model.gap.from);
  else expectNothingLost(model, resume);
}

/** Every version that waits is brought again by who follows from the cursor. */
function expectNothingLost(model: Model, cursor: string): void {
  const [epoch = '', sequence] = cursor.split('-');
  expect(epoch).toBe(model.epoch);
  const again = model.log.get(epoch)?.slice(Number(sequence)) ?? [];
  for (const versions of model.waiting.values()) {
    for (const version of versions) expect(again.map(({ member }) => member)).toContain(version.member);
  }
  if (model.waiting.size === 0) expect(again).toEqual([]);
}

test('whatever is put and taken, it does as the simplest model does', () => {
  const change = fc.record({
    entity: fc.constantFrom('bus', 'tram', 'ferry', 'metro', 'bicycle'),
    kind: fc.constantFrom('upsert' as const, 'upsert' as const, 'delete' as const),
    isLive: fc.boolean(),
  });
  const step = fc.oneof(
    { weight: 5, arbitrary: change },
    { weight: 2, arbitrary: fc.constant('take' as const) },
    { weight: 1, arbitrary: fc.constant('gap' as const) },
  );
  check(
    // Long enough for the buffer to be full.
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const buffer = new ConflatingBuffer(LIMIT);
      const log = new Map<string, Change[]>([['e', []]]);
      const model: Model = { epoch: 'e', head: 0, waiting: new Map(), gap: undefined, log, conflated: 0 };
      for (const next of steps) {
        if (next === 'take') takeOne(model, buffer);
        else if (next === 'gap') putGap(model, buffer);
        else put(model, buffer, next);
        checkInvariants(model, buffer);
      }
    }),
    { numRuns: 1_000, gateRuns: 150, met },
  );
});

/** An outbox with the reading that fills it: of any size, or without a buffer. */
function setUpOutbox(limitChanges?: number) {
  const outbox = new Outbox(limitChanges === undefined ? undefined : new ConflatingBuffer(limitChanges));
  const put: number[] = [];
  const read = async (changes: readonly Change[], { failure }: { failure?: Error } = {}) => {
    const controller = new AbortController();
    outbox.open(controller.signal);
    const running = (async () => {
      for (const one of changes) {
        put.push(one.member?.sequence ?? 0);
        await outbox.put(one);
      }
      outbox.close(failure && { error: failure });
    })();
    const end = () => {
      controller.abort();
      outbox.close();
      return running.catch((error) => error.name);
    };
    await turn();
    return { end };
  };
  const rest = async () => {
    const ids: string[] = [];
    for (let next = await outbox.next(); next; next = await outbox.next()) ids.push(next.member?.id as string);
    return ids;
  };
  return { outbox, put, read, rest };
}

const FOUR = ['a', 'b', 'c', 'd'].map((name, index) => change(index + 1, name));

test('without a buffer the next change is read when the one before was taken and the next is asked for', async () => {
  const { outbox, put, read } = setUpOutbox();
  const [first, second] = [outbox.next(), outbox.next()];
  expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
  await read(FOUR);
  expect(put).toEqual([1]);
  expect(await outbox.next()).toBe(FOUR[0]);
  await turn();
  expect(put).toEqual([1]);
  const both = [outbox.next(), outbox.next()];
  expect(await Promise.all(both)).toEqual([FOUR[1], FOUR[2]]);
  await turn();
  expect(put).toEqual([1, 2, 3]);
});

test('reads ahead until the buffer is full, and goes on when there is room', async () => {
  const { outbox, put, read, rest } = setUpOutbox(2);
  await read([...FOUR, change(5, 'd')]);
  // Two wait, and the next was read for which there is no room.
  expect(put).toEqual([1, 2, 3]);
  expect(outbox.progress).toEqual({ read: 3, taken: 0 });
  expect([...outbox.live()]).toEqual(FOUR.slice(0, 3));
  expect(await rest()).toEqual(['a/v1', 'b/v2', 'c/v3', 'd/v5']);
  expect(outbox.progress).toEqual({ read: 5, taken: 5 });
});

test('what came before a failure is handed out first, and the failure once', async () => {
  const { outbox, read } = setUpOutbox(10);
  await read([change(1, 'a')], { failure: new Error('over') });
  await outbox.next();
  await expect(outbox.next()).rejects.toThrow('over');
  expect(await outbox.next()).toBeUndefined();
});

test.each([undefined, 10])('of those who wait, one is told of a failure, with a buffer of %s', async (limitChanges) => {
  const { outbox } = setUpOutbox(limitChanges);
  outbox.open(new AbortController().signal);
  const waiting = [outbox.next(), outbox.next()];
  outbox.close({ error: new Error('over') });
  await expect(waiting[0]).rejects.toThrow('over');
  expect(await waiting[1]).toBeUndefined();
});

test('ends when it is told to, also while it waits for room, and keeps what was read for the next reading', async () => {
  const { outbox, read, rest } = setUpOutbox(1);
  const { end } = await read(FOUR.slice(0, 3));
  await outbox.next();
  await turn();
  expect(await end()).toBe('AbortError');
  expect(outbox.buffer?.resumeCursor('e-3')).toBe('e-1');
  // In its turn, though an older version of it waits.
  void read([change(4, 'b')]);
  expect(await rest()).toEqual(['b/v2', 'c/v3', 'b/v4']);
});

test('a reading is ended while the loop is busy, and a read that waits is told of the end', async () => {
  const { outbox, put, read } = setUpOutbox();
  const first = await read(FOUR);
  await outbox.next();
  expect(await first.end()).toBe('AbortError');
  expect(put).toEqual([1]);
  outbox.open(new AbortController().signal);
  const waiting = outbox.next();
  outbox.close();
  expect(await waiting).toBeUndefined();
});

test('makes a state when there is something new of it, and the last is not passed yet', () => {
  let made = 0;
  const checkpoints = new Checkpoints(() => {
    made += 1;
    return made;
  });
  for (let taken = 0; taken < 100; taken += 1) checkpoints.mark({ read: 100, taken });
  expect(made).toBe(2);
  checkpoints.mark({ read: 100, taken: 100 });
  expect(made).toBe(2);
  checkpoints.mark({ read: 101, taken: 100 });
  expect(made).toBe(3);
});

test('no state counts what waits, and none falls behind for ever', () => {
  check(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean())), (steps) => {
      let [read, taken] = [0, 0];
      const checkpoints = new Checkpoints(() => read);
      let before = 0;
      for (const [more, away, isSaved] of steps) {
        read += more;
        taken = Math.min(read, taken + away);
        if (!isSaved) checkpoints.mark({ read, taken });
        else {
          const state = checkpoints.state({ read, taken });
          expect(state).toBeLessThanOrEqual(taken);
          expect(state).toBeGreaterThanOrEqual(before);
          before = state;
        }
      }
      // What was made is passed at the next turn, and what is made then at the one after it.
      read += 1;
      checkpoints.mark({ read, taken: read - 1 });
      read += 1;
      expect(checkpoints.state({ read, taken: read - 1 })).toBe(read - 1);
    }),
  );
});
