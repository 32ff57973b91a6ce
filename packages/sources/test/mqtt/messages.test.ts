import type { Draft, UpsertDraft } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { describe, expect, test } from 'vitest';
import { errors } from '../../src/errors.ts';
import { createHealthLedger } from '../../src/health-ledger.ts';
import { judgeDrafts } from '../../src/mqtt/judge-drafts.ts';
import type { MqttMessage } from '../../src/mqtt/mqtt-message.ts';
import { createMqttReporter } from '../../src/mqtt/mqtt-reporter.ts';
import { packRounds } from '../../src/mqtt/pack-rounds.ts';
import { isTopicFilter, matchesFilter } from '../../src/mqtt/topic-filter.ts';
import { createWaitingMessages } from '../../src/mqtt/waiting-messages.ts';
import type { SourceEvent } from '../../src/source-event.ts';
import { LatestMap } from '../latest-map.ts';

const state = (fingerprint: string, versionTime?: string): UpsertDraft => ({
  kind: 'upsert',
  entity: 'e',
  origin: 'o',
  quads: [],
  fingerprint,
  ...(versionTime === undefined ? {} : { versionTime }),
});
const END: Draft = { kind: 'delete', entity: 'e', origin: 'o' };
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T01:00:00Z';

async function judged(before: readonly Draft[], draft: Draft, isOld = false) {
  const latest = new LatestMap();
  for (const each of before) latest.append([each]);
  const { drafts, findings } = await judgeDrafts([{ draft, isOld }], latest);
  return [drafts.length, findings];
}

test.each([
  ['a new state', [], state('1'), [1, {}]],
  ['another state', [state('1')], state('2'), [1, {}]],
  ['the same state', [state('1')], state('1'), [0, { unchanged: 1 }]],
  ['the state that ended', [state('1'), END], state('1'), [1, {}]],
  ['a new observation', [{ ...state('i'), id: 'i' }], { ...state('j'), id: 'j' }, [1, {}]],
  [
    'an observation before the newest one',
    [
      { ...state('i'), id: 'i' },
      { ...state('j'), id: 'j' },
    ],
    { ...state('i'), id: 'i' },
    [0, { repeated: 1 }],
  ],
  ['the end of what lives', [state('1')], END, [1, {}]],
  ['the end of what does not live', [], END, [0, { unknownEnds: 1 }]],
] as const)('MQTT-7 %s', async (_name, before, draft, expected) => {
  expect(await judged(before, draft)).toEqual(expected);
});

test('MQTT-15 what came from another source is not ended', async () => {
  expect(await judged([{ ...state('1'), origin: 'other' }], END)).toEqual([0, { unknownEnds: 1 }]);
});

test('MQTT-7 an older state replaces a newer one only when it came for the first time', async () => {
  const before = [state('new', LATE)];
  expect(await judged(before, state('old', EARLY), true)).toEqual([0, { outdated: 1 }]);
  expect(await judged(before, state('old', EARLY), false)).toEqual([1, { versionTimesBack: 1 }]);
  expect(await judged(before, state('other', LATE), true)).toEqual([1, {}]);
  expect(await judged([state('timeless')], state('old', EARLY), true)).toEqual([1, {}]);
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

const message = (payloadBytes: number): MqttMessage => ({
  topic: 'ten-bytes!',
  payload: Buffer.alloc(payloadBytes),
  isRepeated: false,
  isRetained: false,
  receivedAtMs: 0,
});

test('MQTT-13 it is full at limitMessages, and not one below', () => {
  const waiting = createWaitingMessages({ limitMessages: 2, limitBytes: 1000 });
  waiting.push(message(1));
  expect(waiting.isFull()).toBe(false);
  waiting.push(message(1));
  expect(waiting.isFull()).toBe(true);
  waiting.take(1);
  expect(waiting.isFull()).toBe(false);
});

test('MQTT-13 it is full at limitBytes of topics and payloads, and not one below', () => {
  const waiting = createWaitingMessages({ limitMessages: 100, limitBytes: 200 });
  waiting.push(message(90));
  waiting.push(message(89));
  expect(waiting.isFull()).toBe(false);
  waiting.take(1);
  waiting.push(message(91));
  expect(waiting.isFull()).toBe(true);
});

test('MQTT-6 what waited longest is taken first, and no more than is asked for', () => {
  const waiting = createWaitingMessages({ limitMessages: 100, limitBytes: 200 });
  for (const payloadBytes of [1, 2, 3]) waiting.push(message(payloadBytes));
  expect(waiting.take(2).map(({ payload }) => payload.length)).toEqual([1, 2]);
  expect(waiting.take(2).map(({ payload }) => payload.length)).toEqual([3]);
  expect(waiting.size()).toBe(0);
});

describe('topic filters', () => {
  test.each(['a', 'a/b', '/', '+', '#', '+/b/#', 'a//b', '$SYS/#', '$share/group/a/+', 'é/ß', 'a'.repeat(65_535)])(
    '%.40s is one',
    (filter) => expect(isTopicFilter(filter)).toBe(true),
  );

  test.each([
    '',
    'a+',
    'a/#/b',
    '#a',
    'a\0b',
    '$share/group',
    '$share//a',
    '$share/g/',
    '$share/+/a',
    '\ud800',
    'a'.repeat(65_536),
  ])('%.40s is none', (filter) => expect(isTopicFilter(filter)).toBe(false));

  test.each([
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/', false],
    ['a/+', 'a/b', true],
    ['a/+', 'a', false],
    ['a/+', 'a/b/c', false],
    ['a/+/c', 'a//c', true],
    ['a/#', 'a', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'ab', false],
    ['#', 'a/b', true],
    ['#', '$SYS/uptime', false],
    ['+/uptime', '$SYS/uptime', false],
    ['$SYS/#', '$SYS/uptime', true],
    ['$share/group/a/+', 'a/b', true],
    ['$share/group/a/+', 'b/b', false],
  ])('%s and %s: %s', (filter, topic, expected) => expect(matchesFilter(filter, topic)).toBe(expected));
});

test('MQTT-14 of many problems at once all are counted and 20 are told, with topics of a length that can be read', () => {
  const events: SourceEvent[] = [];
  const ledger = createHealthLedger('o');
  const reporter = createMqttReporter('o', ledger, { clock: () => 5, report: (event) => void events.push(event) });
  const topic = 't'.repeat(65_535);
  const problem = errors.ERR_MQTT_MESSAGE({ topic, code: 'ERR_DOCUMENT_MALFORMED', reason: 'nonsense.' });
  const counts = { bytes: 1, entities: 0, upserts: 0, deletes: 0, findings: {} };
  reporter.stored(1, { ...counts, problems: Array(21).fill(problem) });
  expect(ledger.health().errors).toEqual({ ERR_MQTT_MESSAGE: 21 });
  expect(events).toMatchObject([{ kind: 'taken', problems: { length: 20 } }]);
  expect(problem.message.length).toBeLessThan(500);
});

test('MQTT-20 findings are summed up, and the newest time stays', () => {
  const ledger = createHealthLedger('o');
  const reporter = createMqttReporter('o', ledger, { clock: () => 5, report: () => undefined });
  const counts = { bytes: 1, entities: 1, upserts: 1, deletes: 0, problems: [] };
  reporter.stored(1, { ...counts, findings: { unchanged: 2 }, newestMs: 3000 });
  reporter.stored(1, { ...counts, findings: { unchanged: 1, repeated: 1 }, newestMs: 2000 });
  expect(ledger.health()).toMatchObject({
    findings: { unchanged: 3, repeated: 1 },
    dataAt: '1970-01-01T00:00:03.000Z',
  });
});
