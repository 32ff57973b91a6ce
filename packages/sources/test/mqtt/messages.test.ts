import type { Draft, UpsertDraft } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { errors } from '../../src/errors.ts';
import { judgeDrafts } from '../../src/mqtt/judge-drafts.ts';
import type { MqttMessage } from '../../src/mqtt/mqtt-message.ts';
import { createMqttReporter } from '../../src/mqtt/mqtt-reporter.ts';
import { packRounds } from '../../src/mqtt/pack-rounds.ts';
import { isTopicFilter, matchesFilter } from '../../src/mqtt/topic-filter.ts';
import { createWaitingMessages } from '../../src/mqtt/waiting-messages.ts';
import { HealthTracker } from '../../src/polling/health.ts';
import type { SourceEvent } from '../../src/source.ts';
import { LatestMap } from '../latest-map.ts';

const state = (fingerprint: string, versionTime?: string): UpsertDraft => {
  const upsert = { kind: 'upsert', entity: 'e', origin: 'o', quads: [], fingerprint } as const;
  return versionTime === undefined ? upsert : { ...upsert, versionTime };
};
const END: Draft = { kind: 'delete', entity: 'e', origin: 'o' };
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T01:00:00Z';

const seen = (id: string) => ({ ...state(id), id });
const newer = [state('new', LATE)];

test.each<[id: string, what: string, before: Draft[], draft: Draft, kept: number, findings: object, isOld?: boolean]>([
  ['MQTT-7', 'a new state', [], state('1'), 1, {}],
  ['MQTT-7', 'another state', [state('1')], state('2'), 1, {}],
  ['MQTT-7', 'the same state', [state('1')], state('1'), 0, { unchanged: 1 }],
  ['MQTT-7', 'the state that ended', [state('1'), END], state('1'), 1, {}],
  ['MQTT-7', 'a new observation', [seen('i')], seen('j'), 1, {}],
  ['MQTT-7', 'an observation before the newest one', [seen('i'), seen('j')], seen('i'), 0, { repeated: 1 }],
  ['MQTT-7', 'the end of what lives', [state('1')], END, 1, {}],
  ['MQTT-7', 'the end of what does not live', [], END, 0, { unknownEnds: 1 }],
  ['MQTT-15', 'the end of what another source told', [{ ...state('1'), origin: 'other' }], END, 0, { unknownEnds: 1 }],
  // An older state replaces a newer one only when it came for the first time.
  ['MQTT-7', 'an older state again', newer, state('old', EARLY), 0, { outdated: 1 }, true],
  ['MQTT-7', 'an older state', newer, state('old', EARLY), 1, { versionTimesBack: 1 }],
  ['MQTT-7', 'an older state after itself', [...newer, state('old', EARLY)], state('old', EARLY), 0, { unchanged: 1 }],
  ['MQTT-7', 'the newest state after an older one', [...newer, state('old', EARLY)], newer[0]!, 0, { unchanged: 1 }],
  ['MQTT-7', 'a state of the same time again', newer, state('other', LATE), 1, {}, true],
  ['MQTT-7', 'a state after one without a time', [state('timeless')], state('old', EARLY), 1, {}, true],
])('%s %s', async (_, _what, before, draft, kept, findings, isOld = false) => {
  const latest = new LatestMap();
  for (const each of before) latest.append([each]);
  const judged = await judgeDrafts([{ draft, isOld }], latest);
  expect([judged.drafts.length, judged.findings]).toEqual([kept, findings]);
});

interface Item {
  readonly draft: Draft;
  readonly place: number;
}

const said = fc.record({
  entity: fc.constantFrom('a', 'b', 'c', 'd'),
  id: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  isEnd: fc.boolean(),
});

const messages = fc.array(fc.array(said, { maxLength: 3 }), { maxLength: 12 }).map((lists) => {
  let place = 0;
  return lists.map((list) =>
    list.map(({ entity, id, isEnd }): Item => {
      place += 1;
      const draft: Draft = isEnd
        ? { kind: 'delete', entity, origin: 'o' }
        : { kind: 'upsert', entity, origin: 'o', quads: [], fingerprint: 'f', ...(id === undefined ? {} : { id }) };
      return { draft, place };
    }),
  );
});

const idOf = ({ draft }: Item) => (draft.kind === 'upsert' ? draft.id : undefined);

test('MQTT-6 rounds hold everything once, an entity and a version at most once each, in the order of messages', () => {
  check(
    fc.property(messages, (lists) => {
      const { rounds, roundsUntilStored } = packRounds(lists);
      const all = rounds.flat();
      expect(all.map(({ place }) => place).sort((left, right) => left - right)).toEqual(
        lists.flat().map(({ place }) => place),
      );
      for (const round of rounds) {
        expect(round.length).toBeGreaterThan(0);
        const entities = round.map(({ draft }) => draft.entity);
        const ids = round.flatMap((item) => idOf(item) ?? []);
        expect(new Set(entities).size).toBe(entities.length);
        expect(new Set(ids).size).toBe(ids.length);
      }
      for (const entity of ['a', 'b', 'c', 'd']) {
        const places = all.filter(({ draft }) => draft.entity === entity).map(({ place }) => place);
        expect(places).toEqual(places.toSorted((left, right) => left - right));
      }
      lists.forEach((list, index) => {
        const last = Math.max(0, ...list.map((item) => rounds.findIndex((round) => round.includes(item)) + 1));
        expect(roundsUntilStored[index]).toBe(last);
      });
    }),
  );
});

test('MQTT-6 as many versions of each of many entities as come take as many rounds, not more', () => {
  const item = (entity: string): Item => ({ draft: { kind: 'delete', entity, origin: 'o' }, place: 0 });
  const lists = [0, 1, 2].flatMap(() => Array.from({ length: 50 }, (_, index) => [item(`e${index}`)]));
  expect(packRounds(lists).rounds.map(({ length }) => length)).toEqual([50, 50, 50]);
});

const message = (payloadBytes: number): MqttMessage => {
  const flags = { isRepeated: false, isRetained: false, receivedAtMs: 0 };
  return { topic: 'ten-bytes!', payload: Buffer.alloc(payloadBytes), ...flags };
};

test.each([
  ['limitMessages', { limitMessages: 2, limitBytes: 1000 }, [1, 1]],
  ['limitBytes of topics and payloads', { limitMessages: 100, limitBytes: 200 }, [90, 90]],
])('MQTT-13 it is full at %s, and not one below', (_, limits, [first = 0, second = 0]) => {
  const waiting = createWaitingMessages(limits);
  waiting.push(message(first));
  waiting.push(message(second - 1));
  expect(waiting.isFull()).toBe(limits.limitMessages === 2);
  waiting.take(1);
  expect(waiting.isFull()).toBe(false);
  waiting.push(message(first + 1));
  expect(waiting.isFull()).toBe(true);
});

test('MQTT-6 what waited longest is taken first, and no more than is asked for', () => {
  const waiting = createWaitingMessages({ limitMessages: 100, limitBytes: 200 });
  for (const payloadBytes of [1, 2, 3]) waiting.push(message(payloadBytes));
  expect(waiting.take(2).map(({ payload }) => payload.length)).toEqual([1, 2]);
  expect(waiting.take(2).map(({ payload }) => payload.length)).toEqual([3]);
  expect(waiting.size()).toBe(0);
});

test('topic filters are told from what is none', () => {
  const filters = 'a a/b / + # +/b/# a//b $SYS/# $share/group/a/+ é/ß'.split(' ');
  for (const filter of [...filters, 'a'.repeat(65_535)])
    expect([filter, isTopicFilter(filter)]).toEqual([filter, true]);
  const others = 'a+ a/#/b #a a\0b $share/group $share//a $share/g/ $share/+/a \ud800'.split(' ');
  for (const other of ['', ...others, 'a'.repeat(65_536)])
    expect([other, isTopicFilter(other)]).toEqual([other, false]);
});

test.each([
  [true, 'a/b a/b,a/+ a/b,a/+/c a//c,a/# a,a/# a/b/c,# a/b,$SYS/# $SYS/uptime,$share/group/a/+ a/b'],
  [false, 'a/b a/b/,a/+ a,a/+ a/b/c,a/# ab,# $SYS/uptime,+/uptime $SYS/uptime,$share/group/a/+ b/b'],
])('whether a filter matches a topic is %s: %s', (expected, pairs) => {
  for (const pair of pairs.split(',')) {
    const [filter = '', topic = ''] = pair.split(' ');
    expect([pair, matchesFilter(filter, topic)]).toEqual([pair, expected]);
  }
});

test('MQTT-14 of many problems at once all are counted and 20 are told, with topics of a length that can be read', () => {
  const events: SourceEvent[] = [];
  const ledger = new HealthTracker('o');
  const reporter = createMqttReporter('o', ledger, { clock: () => 5, report: (event) => void events.push(event) });
  const topic = 't'.repeat(65_535);
  const problem = errors.ERR_MQTT_MESSAGE({ topic, code: 'ERR_DOCUMENT_MALFORMED', reason: 'nonsense.' });
  const counts = { bytes: 1, entities: 0, upserts: 0, deletes: 0, findings: {} };
  reporter.stored(1, { ...counts, problems: Array(21).fill(problem) });
  expect(ledger.health().errors).toEqual({ ERR_MQTT_MESSAGE: 21 });
  expect(events).toMatchObject([{ kind: 'accepted', problems: { length: 20 } }]);
  expect(problem.message.length).toBeLessThan(500);
});

test('MQTT-20 findings are summed up, and the newest time stays', () => {
  const ledger = new HealthTracker('o');
  const reporter = createMqttReporter('o', ledger, { clock: () => 5, report: () => undefined });
  const counts = { bytes: 1, entities: 1, upserts: 1, deletes: 0, problems: [] };
  reporter.stored(1, { ...counts, findings: { unchanged: 2 }, newestMs: 3000 });
  reporter.stored(1, { ...counts, findings: { unchanged: 1, repeated: 1 }, newestMs: 2000 });
  expect(ledger.health()).toMatchObject({
    findings: { unchanged: 3, repeated: 1 },
    dataAt: '1970-01-01T00:00:03.000Z',
  });
});
