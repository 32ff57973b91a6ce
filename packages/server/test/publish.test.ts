import { PAGE_MEMBERS } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { STOP_MS, startPublications } from '../src/publish.ts';
import { at, DISK_FULL, START_MS, sourceOf, untilAborted, world } from './publish-world.ts';
import { quietSource, upsert } from './test-server.ts';

test('of several sources the longest failing one counts, and a stream without any has no state', async () => {
  const failing = (origin: string, since: () => string | undefined) =>
    quietSource(origin, () => ({
      ...{ origin, state: 'ok', polls: { good: 1, bad: 0 }, errors: {}, findings: {} },
      failingSince: since(),
    }));
  let [a, b]: (string | undefined)[] = [at(1000), at(0)];
  const { publication, time, states, stream } = await world({
    sources: [failing('a', () => a), failing('b', () => b)],
  });
  void publication.start();
  await time.pass(1000);
  b = undefined;
  await time.pass(1000);
  a = undefined;
  await time.pass(1000);
  expect(states).toEqual([{ kind: 'failing', sinceMs: START_MS + 1000 }, { kind: 'ok' }]);
  expect(publication.sourceState()).toBe(states.at(-1));
  const { sources: _, ...without } = stream;
  await publication.exchange(without);
  expect([publication.sourceState(), publication.health()]).toEqual([undefined, []]);
  await publication.stop();
});

test('sources are exchanged while it runs: the former ones end first, and the new ones go on', async () => {
  const heard: string[] = [];
  const source = (name: string) =>
    sourceOf(
      async function* (_ask, _latest, signal) {
        heard.push(`${name} asked`);
        yield [upsert(heard.length, 1)];
        await untilAborted(signal);
        heard.push(`${name} ended`);
      },
      { origin: name },
    );
  const { publication, time, stream, entities } = await world({ sources: [source('a')] });
  void publication.start();
  await time.settled();
  await publication.exchange({ ...stream, sources: [source('b')], updates: { everyMs: 1000 } });
  await time.settled();
  expect(heard).toEqual(['a asked', 'a ended', 'b asked']);
  expect(await entities()).toEqual([1, 3]);
  expect(publication.schedule()).toMatchObject({ kind: 'interval', intervalMs: 1000 });
  expect(publication.health().map(({ origin }) => origin)).toEqual(['b']);
  await publication.stop();
});

/** A source that brings a member, whose polls are told of so. */
const polledBy = (onPoll: () => () => void) =>
  sourceOf(
    async function* (_ask, _latest, signal) {
      yield [upsert(1, 1)];
      await untilAborted(signal);
    },
    { origin: 'odd', onPoll },
  );

test.each([
  ['at the start, first of two', false, [0, 1]],
  ['at the start, last of two', false, [1, 0]],
  ['in an exchange, first of two', true, [0, 1]],
  ['in an exchange, last of two', true, [1, 0]],
])('a source whose onPoll throws is failing and asked again, beside the others: %s', async (_name, isLater, order) => {
  let tries = 0;
  const odd = polledBy(() => {
    tries += 1;
    if (tries === 1) throw new RangeError('no room');
    return () => undefined;
  });
  const good = sourceOf(async function* (_ask, _latest, signal) {
    yield [upsert(2, 1)];
    await untilAborted(signal);
  });
  const sources = order.map((index) => [odd, good][index] as typeof odd);
  const { publication, time, stream, events, states, entities } = await world(isLater ? {} : { sources });
  void publication.start();
  if (isLater) await publication.exchange({ ...stream, sources });
  await time.settled();
  expect([await entities(), publication.sourceState()?.kind]).toEqual([[2], 'failing']);
  expect(events('source failing')).toMatchObject([{ origin: 'odd', code: 'ERR_SOURCE_FAILED', reason: 'RangeError' }]);
  await time.pass(2000);
  expect([await entities(), states.at(-1), tries]).toEqual([[2, 1], { kind: 'ok' }, 2]);
  await publication.stop();
});

const noPlan = () => {
  throw new TypeError('no plan');
};

test.each<[string, () => unknown]>([
  ['throws', noPlan],
  ['gives nothing', () => undefined],
  ['gives another kind', () => ({ kind: 'nope' })],
  ['gives no interval', () => ({ kind: 'interval', nextMs: START_MS })],
  ['gives a time past all dates', () => ({ kind: 'interval', intervalMs: 1000, nextMs: 8.64e15 + 1 })],
])('MAL-25 where the schedule of a source %s, nothing is predicted, and that is logged', async (_what, asked) => {
  const known = { kind: 'interval', intervalMs: 1000, nextMs: START_MS + 9000 } as const;
  let schedule: () => unknown = () => known;
  const odd = { ...polledBy(() => () => undefined), schedule: () => schedule() as typeof known };
  const { publication, time, events, states } = await world({ sources: [odd] });
  void publication.start();
  await time.settled();
  expect(publication.schedule()).toEqual(known);
  schedule = asked;
  for (let request = 0; request < 3; request += 1) expect(publication.schedule()).toEqual({ kind: 'unknown' });
  const line = { stream: 'vehicles', origin: 'odd', code: 'ERR_SOURCE_FAILED', reason: 'TypeError' };
  expect(events('source failing')).toMatchObject([{ ...line, err: expect.any(TypeError) }]);
  schedule = () => known;
  expect([publication.schedule(), states]).toEqual([known, []]);
  await publication.stop();
});

test('a source whose polls cannot be left ends like any other', async () => {
  const { publication, time, log } = await world({ sources: [polledBy(() => 5 as never)] });
  void publication.start();
  await time.settled();
  await publication.stop();
  expect(log.head.cursor.sequence).toBe(1);
});

test('a source that does not listen to its end holds nothing up, and brings nothing more', async () => {
  let bring: () => void = () => undefined;
  const source = sourceOf(async function* () {
    yield [upsert(1, 1)];
    await new Promise<void>((resolve) => {
      bring = resolve;
    });
    yield [upsert(2, 1)];
  });
  const { publication, time, entities, lines } = await world({ sources: [source] });
  void publication.start();
  await time.settled();
  let isStopped = false;
  const stopping = publication.stop().then(() => {
    isStopped = true;
  });
  await time.pass(STOP_MS - 1);
  expect(isStopped).toBe(false);
  await time.pass(1);
  await stopping;
  bring();
  await time.settled();
  expect(await entities()).toEqual([1]);
  expect(lines).toEqual([]);
});

test.each([
  ['its first poll', 5000, false, 3000],
  ['its first poll, where that comes soon', 2000, false, 2000],
  ['nothing, where its log has members', 5000, true, 0],
])('a server waits for %s', async (_name, pollMs, isFilled, waitedMs) => {
  const source = sourceOf(async function* (_ask, _latest, signal) {
    await time.sleep(pollMs, signal);
    yield [];
    await untilAborted(signal);
  });
  const { publication, time, log } = await world({ sources: [source] });
  if (isFilled) await log.append([upsert(1, 1)]);
  let startedMs: number | undefined;
  const starting = startPublications([publication], time).then(() => {
    startedMs = time.nowMs;
  });
  await time.pass(10_000);
  await starting;
  expect(startedMs).toBe(START_MS + waitedMs);
  await publication.stop();
});

const A_WHILE_MS = 3_600_000;

/** A log with a full page of members, an hour ago, of a stream that keeps a second. */
async function oldWorld() {
  const old = await world({}, { fullLogMs: 1000 });
  const drafts = Array.from({ length: PAGE_MEMBERS + 1 }, (_, index) => upsert(index, 1));
  await old.log.append(drafts);
  old.time.jump(A_WHILE_MS);
  return old;
}

test('what the policy does not keep is removed, until it is stopped', async () => {
  const { publication, time, log, lines } = await oldWorld();
  void publication.start();
  await time.pass(1000);
  expect(log.removals).toMatchObject([{ first: 1, last: PAGE_MEMBERS, state: 'unlinked' }]);
  await publication.stop();
  await time.pass(600_000);
  expect(log.removals).toMatchObject([{ state: 'unlinked' }]);
  expect(lines).toEqual([]);
});

test('one that is stopped and has not ended yet keeps no other from removing, over the same log', async () => {
  const { publication, time, log, stream, lines, again } = await oldWorld();
  await log.append(Array.from({ length: PAGE_MEMBERS }, (_, index) => upsert(index, 2)));
  const unlink = log.unlink.bind(log);
  // As of a slow disk: both of them ask for the first page before it is removed.
  log.unlink = (extent) => time.sleep(5 * STOP_MS, new AbortController().signal).then(() => unlink(extent));
  void publication.start();
  await time.pass(1000);
  const stopping = publication.stop();
  await time.pass(STOP_MS);
  await stopping;
  const other = await again(stream);
  void other.start();
  await time.pass(A_WHILE_MS);
  expect(log.removals).toMatchObject([{ first: 1, last: 2 * PAGE_MEMBERS }]);
  expect(lines).toEqual([]);
  await other.stop();
});

test('LOG-1 `retention failed` is logged where the log cannot remove, and it is tried again', async () => {
  const { publication, time, log, events } = await oldWorld();
  const unlink = log.unlink.bind(log);
  log.unlink = () => {
    log.unlink = unlink;
    return Promise.reject(DISK_FULL);
  };
  void publication.start();
  await time.pass(15_000);
  expect(log.removals).toHaveLength(1);
  expect(events('retention failed')).toMatchObject([{ level: 'warn', stream: 'vehicles', err: DISK_FULL }]);
  await publication.stop();
});
