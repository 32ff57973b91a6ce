import { type Draft, type SourceHealth, StreamError } from '@ldes-live/rdf-stream';
import type { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { SourcePoll, StreamSource } from '../src/options.ts';
import { at, DISK_FULL, failAppends, START_MS, sourceOf, untilAborted, world } from './publish-world.ts';
import { quietSource, upsert } from './test-server.ts';

test('each batch is appended before the next is asked for, and an empty one says that nothing changed', async () => {
  const heads: number[] = [];
  const source = sourceOf(async function* (_ask, _latest, signal) {
    yield [upsert(1, 1), upsert(2, 1)];
    heads.push(log.head.cursor.sequence);
    yield [];
    yield [upsert(3, 1)];
    heads.push(log.head.cursor.sequence);
    await untilAborted(signal);
  });
  const { log, publication, time, lines } = await world({ sources: [source] });
  expect([publication.sourceState(), log.head.cursor.sequence]).toEqual([{ kind: 'ok' }, 0]);
  void publication.start();
  await time.settled();
  expect(heads).toEqual([2, 3]);
  expect(publication.health()).toEqual([
    { origin: 'feed', state: 'ok', lastGoodAt: at(0), polls: { good: 3, bad: 0 }, errors: {}, findings: {} },
  ]);
  await publication.stop();
  expect(lines).toEqual([]);
});

test('`append failed` is logged, the source is asked anew after growing waits, and nothing is lost', async () => {
  const source = sourceOf(async function* (_ask, latest, signal) {
    const lacking = [1, 2].map((number) => upsert(number, 1)).filter(({ entity }) => !latest.get(entity));
    if (lacking.length > 0) yield lacking;
    await untilAborted(signal);
  });
  const { log, publication, time, events, states, entities } = await world({ sources: [source] });
  failAppends(log, DISK_FULL, 3);
  void publication.start();
  await time.pass(7000);
  expect(await entities()).toEqual([1, 2]);
  const line = { level: 'warn', stream: 'vehicles', origin: 'feed', code: 'ERR_STORE_WRITE', err: DISK_FULL };
  expect(events('append failed')).toMatchObject([{ ...line, attempt: 1, waitMs: 1000 }]);
  expect(time.waits.filter((ms) => ms !== 1000)).toEqual([2000, 4000]);
  expect(states).toEqual([{ kind: 'failing', sinceMs: START_MS }, { kind: 'ok' }]);
  expect(events('source recovered')).toMatchObject([{ level: 'info', failedMs: 7000 }]);
  await publication.stop();
  expect(events('append failed')).toHaveLength(1);
});

test('a source that fails and recovers often leaves no line of a state that is over', async () => {
  const lastError = { code: 'ERR_FEED_STATUS', message: 'It answered 500.', at: at(0) };
  let [isDown, good, bad] = [false, 1, 0];
  const health = () => ({ ...HEALTHY, polls: { good, bad }, ...(isDown && { failingSince: at(0), lastError }) });
  const { publication, time, events } = await world({ sources: [quietSource('feed', health as () => SourceHealth)] });
  void publication.start();
  for (let second = 0; second < 184; second += 1) {
    isDown = second % 7 < 3;
    [good, bad] = isDown ? [good, bad + 1] : [good + 1, bad];
    const over = () => events(isDown ? 'source recovered' : 'source failing').length;
    const before = over();
    await time.pass(1000);
    expect(over()).toBe(before);
  }
  expect(events('source failing')).toMatchObject([{}, { suppressed: 26 }, {}]);
  const recovered = events('source recovered').length;
  await publication.stop();
  expect(events('source recovered')).toHaveLength(recovered);
});

test('LOG-1 `draft rejected` is logged for what the log can never take, and what is beside it is published', async () => {
  const source = sourceOf(async function* (_ask, _latest, signal) {
    const bad = { ...upsert(9, 1), entity: 'no IRI' };
    yield [upsert(1, 1), bad, upsert(2, 1), { ...upsert(3, 1), kind: 'delete' } as Draft, upsert(4, 1)];
    yield [upsert(5, 1)];
    await untilAborted(signal);
  });
  const { publication, time, lines, states, entities } = await world({ sources: [source] });
  void publication.start();
  await time.settled();
  expect(await entities()).toEqual([1, 2, 4, 5]);
  const line = { level: 'warn', event: 'draft rejected', stream: 'vehicles', origin: 'feed' };
  expect(lines).toMatchObject([
    { ...line, code: 'ERR_TERM_UNSUPPORTED', message: expect.stringContaining('no IRI') },
    { ...line, code: 'ERR_ENTITY_UNKNOWN' },
  ]);
  expect(publication.health()).toMatchObject([{ errors: { ERR_TERM_UNSUPPORTED: 1, ERR_ENTITY_UNKNOWN: 1 } }]);
  expect(states).toEqual([]);
  await publication.stop();
});

const URN = { termType: 'NamedNode', value: 'urn:a' };
const STATED = { subject: URN, predicate: URN, object: URN, graph: { termType: 'DefaultGraph', value: '' } };
const text = (parts: object) => ({ ...STATED, object: { termType: 'Literal', value: 'x', language: '', ...parts } });
test.each([
  ['nothing', null],
  ['a triple without graph', { ...STATED, graph: undefined }],
  ['no object', { ...STATED, object: null }],
  ['a URL for an IRI', { ...STATED, object: { ...URN, value: new URL('http://e.example/') } }],
  ['white space in an IRI', { ...STATED, object: { ...URN, value: 'http://e.example/a\u00a0b' } }],
  ['half an escape in an IRI', { ...STATED, object: { ...URN, value: 'http://e.example/%zz' } }],
  ['a malformed language tag', text({ language: 'x', datatype: URN })],
  ['a blank node as predicate', { ...STATED, predicate: { termType: 'BlankNode', value: 'b' } }],
  ['a variable', { ...STATED, subject: { termType: 'Variable', value: 'b' } }],
  ['a literal without datatype', text({})],
  ['a language without datatype', text({ language: 'en' })],
  ['a named graph', { ...STATED, graph: URN }],
  ['a number for a text', text({ value: 5, datatype: URN })],
  ['a list of languages', text({ language: ['en'], datatype: URN })],
  ['a text of half a character', text({ value: '\ud83d', datatype: URN })],
])('LOG-1 a source that states %s has that draft rejected, and no other', async (_what, quad) => {
  const source = sourceOf(async function* (_ask, _latest, signal) {
    yield [upsert(1, 1), { ...upsert(9, 1), quads: [quad as never] } as Draft, upsert(2, 1)];
    await untilAborted(signal);
  });
  const { publication, time, events, entities } = await world({ sources: [source] });
  void publication.start();
  await time.settled();
  expect(await entities()).toEqual([1, 2]);
  expect(events('draft rejected')).toHaveLength(1);
  await publication.stop();
});

test('LOG-1 `source failing` and `source recovered` are logged where a source throws, and it is asked again', async () => {
  const source = sourceOf(async function* (ask, _latest, signal) {
    if (ask <= 4) throw new TypeError('postgres://user:secret@db');
    yield [];
    await untilAborted(signal);
  });
  const { publication, time, events, states } = await world({ sources: [source] });
  void publication.start();
  await time.settled();
  expect(publication.sourceState()).toEqual({ kind: 'failing', sinceMs: START_MS });
  expect(publication.health()).toMatchObject([
    { state: 'starting', failingSince: at(0), lastError: { code: 'ERR_SOURCE_FAILED', at: at(0) } },
  ]);
  expect(JSON.stringify(publication.health())).not.toContain('secret');
  await time.pass(14_999);
  expect(states).toHaveLength(1);
  await time.pass(1);
  expect(states).toEqual([{ kind: 'failing', sinceMs: START_MS }, { kind: 'ok' }]);
  expect(publication.health()).toMatchObject([{ state: 'ok', polls: { good: 1, bad: 4 } }]);
  const line = { stream: 'vehicles', origin: 'feed' };
  const fault = { reason: 'TypeError', err: new TypeError('postgres://user:secret@db') };
  expect(events('source failing')).toEqual([
    {
      level: 'warn',
      event: 'source failing',
      ...line,
      code: 'ERR_SOURCE_FAILED',
      message: expect.any(String),
      ...fault,
    },
  ]);
  expect(events('source recovered')).toEqual([{ level: 'info', event: 'source recovered', ...line, failedMs: 15_000 }]);
  await publication.stop();
});

test('a source that fails a thousand times leaves a line a minute at most, with how many were left out', async () => {
  const health = { origin: 'feed', state: 'failing', errors: {}, findings: {} } as const;
  const lastError = { code: 'ERR_FEED_STATUS', message: 'It answered 500.', at: at(0) };
  let bad = 0;
  const source = quietSource('feed', () => ({ ...health, failingSince: at(0), lastError, polls: { good: 1, bad } }));
  const { publication, time, events } = await world({ sources: [source] });
  void publication.start();
  for (bad = 1; bad <= 1000; bad += 1) await time.pass(1000);
  await publication.stop();
  const lines = events('source failing');
  expect(lines.length).toBeLessThanOrEqual(18);
  expect(lines.reduce((sum, { suppressed = 0 }) => sum + 1 + Number(suppressed), 0)).toBe(1000);
}, 30_000);

const HEALTHY = { origin: 'feed', state: 'ok', polls: { good: 5, bad: 0 }, errors: {}, findings: {} };
const without = (field: string) => ({ ...HEALTHY, [field]: undefined });

test.each<[string, unknown]>([
  ...['origin', 'state', 'polls', 'errors', 'findings'].map((field): [string, unknown] => [
    `no ${field}`,
    without(field),
  ]),
  ['nothing', undefined],
  ['null', null],
  ['a text', 'ok'],
  ['another state', { ...HEALTHY, state: 'good' }],
  ['polls that are no numbers', { ...HEALTHY, polls: { good: '5', bad: 0 } }],
  ['an error that is no count', { ...HEALTHY, errors: { ERR_X: 'many' } }],
  ['a finding that is no count', { ...HEALTHY, findings: { odd: Number.NaN } }],
  ['a time that is none', { ...HEALTHY, failingSince: 'yesterday' }],
  ['a time that is no text', { ...HEALTHY, lastGoodAt: 1 }],
  ['a last error of no code', { ...HEALTHY, failingSince: at(0), lastError: { message: 'x' } }],
])('a health that is %s is as one that throws: logged, and its drafts say how it fares', async (_name, health) => {
  const source = sourceOf(
    async function* (ask, _latest, signal) {
      if (ask === 1) throw new Error('lost');
      yield [upsert(1, 1)];
      await untilAborted(signal);
    },
    { health: () => health as SourceHealth },
  );
  const { publication, time, events, states, entities } = await world({ sources: [source] });
  void publication.start();
  await time.pass(5000);
  expect(await entities()).toEqual([1]);
  expect(states).toEqual([{ kind: 'failing', sinceMs: START_MS }, { kind: 'ok' }]);
  expect(publication.health()).toMatchObject([{ origin: 'feed', state: 'ok', polls: { good: 1, bad: 1 } }]);
  const fault = { code: 'ERR_SOURCE_FAILED', reason: 'TypeError', err: expect.any(TypeError) };
  expect(events('source failing').filter(({ reason }) => reason === 'TypeError')).toMatchObject([fault]);
  await publication.stop();
});

test('a source that ends by itself counts as failing, and is asked again', async () => {
  const source = sourceOf(async function* (ask, _latest, signal) {
    yield [upsert(ask, 1)];
    if (ask > 2) await untilAborted(signal);
  });
  const { publication, time, events, entities, states } = await world({ sources: [source] });
  void publication.start();
  await time.pass(3000);
  expect(await entities()).toEqual([1, 2, 3]);
  expect(events('source failing')).toMatchObject([{ code: 'ERR_SOURCE_ENDED' }]);
  expect(states.map((state) => state?.kind)).toEqual(['failing', 'ok', 'failing', 'ok']);
  await publication.stop();
});

test('DOC-80 a source that failed has recovered once it brings a batch, be it empty, and not by its silence', async () => {
  const source = sourceOf(async function* (ask, _latest, signal) {
    if (ask === 1) throw new Error('lost');
    await time.sleep(3_600_000, signal);
    yield [];
    await untilAborted(signal);
  });
  const { publication, time, states } = await world({ sources: [source] });
  void publication.start();
  await time.pass(3_600_000);
  expect(states).toEqual([{ kind: 'failing', sinceMs: START_MS }]);
  await time.pass(2000);
  expect(states.at(-1)).toEqual({ kind: 'ok' });
  await publication.stop();
});

test('DOC-80 a source that brings nothing but what the log can never take is failing, however well it is read', async () => {
  const bad = { ...upsert(9, 1), entity: 'no IRI' };
  let good = 0;
  const source: StreamSource = {
    ...quietSource('feed', () => ({ origin: 'feed', state: 'ok', polls: { good, bad: 0 }, errors: {}, findings: {} })),
    drafts: async function* (_latest, signal) {
      for (const batch of [
        [bad, { ...bad, entity: 'nor this' }],
        [bad, upsert(1, 1)],
      ]) {
        good += 1;
        yield batch;
        for (let poll = 0; poll < 10; poll += 1) {
          await time.sleep(1000, signal);
          good += 1;
        }
      }
      await untilAborted(signal);
    },
  };
  const { publication, time, events, states } = await world({ sources: [source] });
  void publication.start();
  await time.pass(9000);
  expect(states).toEqual([{ kind: 'failing', sinceMs: START_MS }]);
  const lastError = { code: 'ERR_TERM_UNSUPPORTED', message: expect.stringContaining('nor this') };
  expect(publication.health()).toMatchObject([{ state: 'failing', lastError, errors: { ERR_TERM_UNSUPPORTED: 2 } }]);
  expect(events('source failing')).toMatchObject([{ code: 'ERR_TERM_UNSUPPORTED' }]);
  await time.pass(2000);
  expect(states.slice(1)).toEqual([{ kind: 'ok' }]);
  await publication.stop();
});

test('`publishing ended` is logged where the log is closed, and then only', async () => {
  const source = sourceOf(async function* (ask, _latest, signal) {
    if (ask === 1) yield [upsert(1, 1)];
    await log.close();
    yield [upsert(2, 1)];
    await untilAborted(signal);
  });
  const { log, publication, time, lines, states } = await world({ sources: [source], updates: 'unpredictable' });
  void publication.start();
  await time.pass(600_000);
  const line = { level: 'error', event: 'publishing ended', stream: 'vehicles', origin: 'feed' };
  expect(lines).toMatchObject([{ ...line, err: { code: 'ERR_LOG_CLOSED' } }]);
  expect(states).toEqual([{ kind: 'failing', sinceMs: START_MS }]);
  await publication.stop();
});

/** A feed that is polled every 20 s, as `@ldes-live/sources` polls one: each poll is told of, and counted in its health. */
function polledFeed(time: () => VirtualTime, isDown: () => boolean): StreamSource {
  let failingSince: string | undefined;
  let polls: SourceHealth['polls'] = { good: 0, bad: 0 };
  const listeners = new Set<(poll: SourcePoll) => void>();
  return {
    origin: 'feed',
    drafts: async function* (_latest, signal) {
      while (!signal.aborted) {
        const error = new StreamError('ERR_FEED_UNREACHABLE', 'refused');
        failingSince = isDown() ? (failingSince ?? new Date(time().nowMs).toISOString()) : undefined;
        polls = isDown() ? { ...polls, bad: polls.bad + 1 } : { ...polls, good: polls.good + 1 };
        const poll = isDown()
          ? { kind: 'failed', error }
          : { kind: 'accepted', problems: [new StreamError('ERR_X', 'x')] };
        for (const listener of listeners) listener({ durationMs: 7, ...poll });
        const slept = time().sleep(20_000, signal);
        await slept.catch(() => undefined);
      }
      yield [];
    },
    health: () => ({
      origin: 'feed',
      state: failingSince ? 'failing' : 'ok',
      ...(failingSince && { failingSince }),
      polls,
      errors: {},
      findings: {},
    }),
    onPoll: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

test('LOG-1 `poll` and `source problem` are logged; a feed that is down and back changes the state within one poll interval', async () => {
  let isDown = false;
  const [timeOf, isFeedDown] = [() => time, () => isDown];
  const { publication, time, events, states } = await world({ sources: [polledFeed(timeOf, isFeedDown)] });
  void publication.start();
  await time.pass(50_000);
  isDown = true;
  await time.pass(20_000);
  expect(states).toEqual([{ kind: 'failing', sinceMs: START_MS + 60_000 }]);
  await time.pass(40_000);
  isDown = false;
  await time.pass(20_000);
  expect(states.slice(1)).toEqual([{ kind: 'ok' }]);
  const names = { stream: 'vehicles', origin: 'feed' };
  expect(events('poll').slice(0, 1)).toEqual([{ level: 'debug', event: 'poll', ...names, result: 'accepted', ms: 7 }]);
  expect(events('poll').map(({ result }) => result)).toEqual([
    ...['accepted', 'accepted', 'accepted'],
    ...['failed', 'failed', 'failed'],
    'accepted',
  ]);
  expect(events('source problem')[0]).toMatchObject({ level: 'warn', ...names, code: 'ERR_X', message: 'x' });
  expect(events('source failing')).toMatchObject([{ ...names, code: 'ERR_FEED_UNREACHABLE', message: 'refused' }]);
  expect(events('source recovered')).toMatchObject([{ ...names, failedMs: 60_000 }]);
  await publication.stop();
});
