import type { SourceHealth } from '@ldes-live/rdf-stream';
import { StreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { cutOff, FakeCluster, follower, WRITER } from './fake-cluster.ts';
import { at, failAppends, START_MS, sourceOf, untilAborted, world } from './publish-world.ts';
import { upsert } from './test-server.ts';

const OK = { origin: 'feed', state: 'ok', polls: { good: 1, bad: 0 }, errors: {}, findings: {} } as const;
const failing = (since: number): SourceHealth => ({ ...OK, state: 'failing', failingSince: at(since) });
const told = (vehicles: object) => ({ streams: { vehicles } });

/** A source that says when it is asked and ended, and brings one member each time. */
function watchedSource() {
  const heard: string[] = [];
  const source = sourceOf(async function* (ask, latest, signal) {
    heard.push(`asked with ${latest.size}`);
    yield [upsert(ask, 1)];
    await untilAborted(signal);
    heard.push('ended');
  });
  return { heard, source };
}

test('sources run on the writer only, and begin and end with that, from what the log has then', async () => {
  const { heard, source } = watchedSource();
  const cluster = new FakeCluster('b', follower());
  const { publication, time, log, entities } = await world({ sources: [source] }, undefined, cluster);
  void publication.start();
  await time.pass(5000);
  expect(heard).toEqual([]);
  await log.append([upsert(77, 1)]);
  cluster.become({ role: WRITER });
  await time.settled();
  expect([heard, await entities()]).toEqual([['asked with 1'], [77, 1]]);
  cluster.become({ role: follower() });
  await time.settled();
  expect(heard).toEqual(['asked with 1', 'ended']);
  // Faster than a source ends.
  cluster.become({ role: WRITER });
  cluster.become({ role: cutOff(START_MS) });
  cluster.become({ role: WRITER });
  await time.settled();
  expect([heard.slice(2), await entities()]).toEqual([['asked with 2'], [77, 1, 2]]);
  await publication.stop();
  expect([heard.at(-1), cluster.listeners]).toEqual(['ended', 1]);
  cluster.become({ role: follower() });
  cluster.become({ role: WRITER });
  await time.settled();
  expect(heard.length).toBe(4);
});

test('sources that are exchanged on a follower run once it writes', async () => {
  const [first, second] = [watchedSource(), watchedSource()];
  const cluster = new FakeCluster('b', follower());
  const { publication, time, stream } = await world({ sources: [first.source] }, undefined, cluster);
  void publication.start();
  await publication.exchange({ ...stream, sources: [second.source] });
  cluster.become({ role: WRITER });
  await time.settled();
  expect([first.heard, second.heard]).toEqual([[], ['asked with 0']]);
  await publication.stop();
});

test('retention runs on the writer only, begins and ends with that, and is not heard where it is fenced', async () => {
  const cluster = new FakeCluster('b', follower());
  const { publication, time, log, events } = await world({}, { fullLogMs: 1000 }, cluster);
  await log.append(Array.from({ length: 600 }, (_, number) => upsert(number, 1)));
  void publication.start();
  await time.pass(300_000);
  expect(log.removals).toEqual([]);
  cluster.become({ role: WRITER });
  await time.pass(5000);
  expect(log.removals).toMatchObject([{ first: 1, last: 500, state: 'unlinked' }]);
  cluster.become({ role: follower() });
  await time.pass(300_000);
  expect(log.removals).toMatchObject([{ state: 'unlinked' }]);
  const { erase } = log;
  log.erase = () => Promise.reject(new StreamError('ERR_LOG_FENCED', 'Another node writes.'));
  cluster.become({ role: WRITER });
  await time.pass(90_000);
  log.erase = erase;
  await time.pass(30_000);
  expect(log.removals).toMatchObject([{ first: 1, last: 500, state: 'tombstoned' }]);
  expect(events('retention failed')).toEqual([]);
  await publication.stop();
});

test('an append that is fenced is no failure of the source, which is asked again soon while this node writes', async () => {
  const { heard, source } = watchedSource();
  const cluster = new FakeCluster();
  const { publication, time, log, lines, states } = await world({ sources: [source] }, undefined, cluster);
  failAppends(log, new StreamError('ERR_LOG_FENCED', 'Another node writes.'), 3);
  void publication.start();
  await time.pass(8000);
  expect(heard).toEqual(Array(4).fill('asked with 0'));
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
  expect([states.every((state) => state?.kind === 'ok'), publication.health()]).toMatchObject([true, [{ errors: {} }]]);
  await publication.stop();
});

test('CLU-23 on a follower the sources of the writer count, and what changes of them is told', async () => {
  const { source } = watchedSource();
  const cluster = new FakeCluster('b', follower());
  const { publication, states } = await world({ sources: [source] }, undefined, cluster);
  expect([publication.health(), publication.sourceState()]).toEqual([[], undefined]);
  cluster.become({ told: told({ sources: [OK] }) });
  cluster.become({ told: told({ sources: [OK] }) });
  cluster.become({ told: told({ sources: [OK, failing(1500)] }) });
  expect(publication.health()).toEqual([OK, failing(1500)]);
  expect(states).toEqual([{ kind: 'ok' }, { kind: 'failing', sinceMs: START_MS + 1000 }]);
  await publication.stop();
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'streams'],
  ['other streams', { streams: { other: { sources: [OK] } } }],
  ['streams that are no mapping', { streams: 7 }],
  ['a stream that is none', told(null as never)],
  ['sources that are no list', told({ sources: 'feed', schedule: 'soon' })],
  ['sources that are none', told({ sources: [null, 7, { origin: 'feed' }, { ...OK, polls: { good: 'x', bad: 0 } }] })],
  ['a schedule of another kind', told({ schedule: { kind: 'cron' }, sources: [] })],
])('CLU-23 of what a writer of another release tells, %s is ignored', async (_what, said) => {
  const cluster = new FakeCluster('b', follower());
  const { publication } = await world({ sources: [] }, undefined, cluster);
  cluster.become({ told: said });
  expect([publication.health(), publication.schedule()]).toEqual([[], { kind: 'unknown' }]);
  await publication.stop();
});

test('CLU-23 what is understood of a stream counts beside what is not', async () => {
  const cluster = new FakeCluster('b', follower());
  const { publication } = await world({}, undefined, cluster);
  cluster.become({ told: told({ schedule: { kind: 'cron' }, sources: [null, { ...OK, more: 1 }], more: 2 }) });
  expect(publication.health()).toEqual([{ ...OK, more: 1 }]);
  await publication.stop();
});

test('CLU-23 the schedule of the sources is that of the writer; what is declared, or follows from the log, is told by each', async () => {
  const stated = { kind: 'interval', intervalMs: 20_000, nextMs: START_MS + 15_000 } as const;
  const cluster = new FakeCluster('b', follower());
  const polled = {
    ...watchedSource().source,
    schedule: () => ({ kind: 'interval', intervalMs: 1, nextMs: 1 }) as const,
  };
  const { publication, stream, log } = await world({ sources: [polled] }, undefined, cluster);
  await log.append([upsert(1, 1)]);
  expect(publication.schedule()).toEqual({ kind: 'unknown' });
  cluster.become({ told: told({ schedule: stated, sources: [] }) });
  expect(publication.schedule()).toEqual(stated);
  // A node that has no sources of its own.
  await publication.exchange({ ...stream, sources: [] });
  expect(publication.schedule()).toEqual(stated);
  await publication.exchange({ ...stream, updates: { everyMs: 7000 } });
  expect(publication.schedule()).toEqual({ kind: 'interval', intervalMs: 7000, nextMs: log.head.timeMs + 7000 });
  const own = { kind: 'interval', intervalMs: 5, nextMs: START_MS + 5 } as const;
  await publication.exchange({ ...stream, schedule: () => own });
  expect(publication.schedule()).toEqual(own);
  cluster.become({ role: WRITER, told: undefined });
  await publication.exchange(stream);
  expect(publication.schedule()).toEqual({ kind: 'interval', intervalMs: 1, nextMs: 1 });
  await publication.stop();
});

test('CLU-23 the writer tells its sources, and a schedule where that is theirs', async () => {
  const stated = { kind: 'interval', intervalMs: 20_000, nextMs: START_MS + 15_000 } as const;
  const source = { ...watchedSource().source, schedule: () => stated };
  const { publication, stream } = await world({ sources: [source] }, undefined, new FakeCluster());
  expect(publication.tell()).toMatchObject({ schedule: stated, sources: [{ origin: 'feed', state: 'starting' }] });
  await publication.exchange({ ...stream, updates: 'unpredictable' });
  expect(publication.tell()).not.toHaveProperty('schedule');
  await publication.stop();
});

test('CLU-29 a follower that lacks members, or whose clock is behind, says that an update may come at any moment', async () => {
  const intervalMs = 20_000;
  const stated = (nextMs: number) => ({ schedule: { kind: 'interval', intervalMs, nextMs }, sources: [] });
  const cluster = new FakeCluster('b', follower());
  const { publication } = await world({}, undefined, cluster);
  const due = { kind: 'interval', intervalMs, nextMs: START_MS };
  cluster.become({ told: told(stated(START_MS + 9000)), lags: { vehicles: 1 } });
  expect(publication.schedule()).toEqual(due);
  cluster.become({ lags: {} });
  expect(publication.schedule()).toEqual({ ...due, nextMs: START_MS + 9000 });
  cluster.become({ told: told(stated(START_MS + 3_600_000)) });
  expect(publication.schedule()).toEqual(due);
  await publication.stop();
});

test('CLU-24 a node that is cut off predicts nothing, and tells since when commits may be missing', async () => {
  const cluster = new FakeCluster('b', follower());
  const { publication, states } = await world({ updates: { everyMs: 7000 } }, undefined, cluster);
  cluster.become({ told: told({ sources: [OK] }) });
  cluster.become({ role: cutOff(START_MS + 2500) });
  const completeToMs = START_MS + 2000;
  expect([publication.schedule(), publication.sourceState()]).toEqual([
    { kind: 'unknown' },
    { kind: 'failing', sinceMs: completeToMs, completeToMs },
  ]);
  cluster.become({ told: told({ sources: [failing(1000)] }) });
  expect(publication.sourceState()).toEqual({ kind: 'failing', sinceMs: START_MS + 1000, completeToMs });
  cluster.become({ role: follower(), told: told({ sources: [] }) });
  // Who was told so is told that it is over, also of a stream without sources.
  expect(states.at(-1)).toEqual({ kind: 'ok' });
  expect(publication.schedule()).toMatchObject({ kind: 'interval' });
  await publication.stop();
});

test('CLU-24 a stream that the writer does not have may lack commits from when that was noticed on, until it has it', async () => {
  const cluster = new FakeCluster('b', follower());
  const { publication, time } = await world({ updates: { everyMs: 7000 } }, undefined, cluster);
  // A writer that starts tells of none yet.
  for (const streams of [undefined, {}]) cluster.become({ told: { streams } });
  expect(publication.sourceState()).toBeUndefined();
  await time.pass(5000);
  cluster.become({ told: { streams: { trips: { sources: [] } } } });
  await time.pass(5000);
  const noticedMs = START_MS + 5000;
  const failingState = { kind: 'failing', sinceMs: noticedMs, completeToMs: noticedMs };
  expect([publication.sourceState(), publication.schedule()]).toEqual([failingState, { kind: 'unknown' }]);
  cluster.become({ role: cutOff(START_MS + 8000) });
  expect(publication.sourceState()).toEqual(failingState);
  cluster.become({ role: follower(), told: told({ sources: [] }) });
  expect(publication.sourceState()).toEqual({ kind: 'ok' });
  // A worker hears that from its owner, which tells of no stream that has no state.
  Object.assign(cluster, { owner: { url: 'http://127.0.0.1:1' } });
  cluster.become({ told: { streams: { trips: { sources: [] } } } });
  expect(publication.sourceState()).toBeUndefined();
  cluster.become({ told: told({ sources: [], completeToMs: noticedMs }) });
  expect(publication.sourceState()).toEqual(failingState);
  await publication.stop();
});

test('`role changed` names the role and the writer, `cluster problem` comes once while the problem stands', async () => {
  const cluster = new FakeCluster('b', follower());
  const { publication, lines } = await world({}, undefined, cluster);
  const problem = { code: 'ERR_CLOCK', message: 'The clock is an hour off.' };
  cluster.become({ told: {} });
  cluster.become({ problems: [problem] });
  cluster.become({ problems: [{ ...problem }] });
  cluster.become({ role: WRITER, problems: [] });
  cluster.become({ problems: [problem] });
  cluster.become({ role: cutOff(START_MS) });
  const changed = { level: 'info', event: 'role changed', node: 'b' };
  const warned = { level: 'warn', event: 'cluster problem', node: 'b', ...problem };
  expect(lines).toEqual([
    { ...changed, role: 'follower', writer: 'a' },
    warned,
    { ...changed, role: 'writer' },
    warned,
    { ...changed, level: 'warn', role: 'cut-off' },
  ]);
  await publication.stop();
});
