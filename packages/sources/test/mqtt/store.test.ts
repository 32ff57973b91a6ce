import type { Draft, UpsertDraft } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { MqttMessage } from '../../src/mqtt/connection.ts';
import { type MessageStoring, storeMessages } from '../../src/mqtt/store.ts';
import { UnmappedWatch } from '../../src/polling/health.ts';
import { LatestMap } from '../latest-map.ts';

const candidateOf = ({ entity, id, fingerprint, versionTime, quads }: UpsertDraft) => ({
  entity,
  id,
  fingerprint,
  versionTime,
  quads: () => quads,
});

/** Drafts stand in the payload as they are; a message without one names the entity of its topic. */
const STORING: Omit<MessageStoring, 'delivered'> = {
  origin: 'o',
  mapping: {
    reading: {},
    map: ({ document, topic = [] }) => ({
      entities: Array.isArray(document) ? (document as UpsertDraft[]).map(candidateOf) : [],
      unreadableEntities: Array.isArray(document) ? [] : [topic[1] as string],
      ...{ unnamedRecords: 0, findings: {}, problems: [], records: 1, unmapped: async () => [] },
    }),
  },
  topics: [{ filter: 'sensors/+' }],
  limitPacketBytes: 1024,
  endsWhenEmpty: true,
  watch: new UnmappedWatch({ looks: 0, everyMs: 1 }),
};

/** What a message says: drafts, or the end of an entity. */
type Said = readonly UpsertDraft[] | string;

const messageOf = (said: Said, index: number, isRetained = false): MqttMessage => ({
  topic: typeof said === 'string' ? `sensors/${said}` : 'sensors/x',
  payload: Buffer.from(typeof said === 'string' ? '' : JSON.stringify(said)),
  messageId: index + 1,
  ...{ cmd: 'publish', qos: 1, dup: false, retain: isRetained, receivedAtMs: 0 },
});

/** Stores messages; `acknowledged` are the identifiers after each batch that was stored, and at the end. */
async function store(all: readonly Said[], latest = new LatestMap(), isRetained = false) {
  const messages = all.map((said, index) => messageOf(said, index, isRetained));
  const sofar: number[] = [];
  const acknowledged: number[][] = [];
  const acknowledge = (stored: readonly MqttMessage[]) =>
    void sofar.push(...stored.map(({ messageId }) => messageId as number));
  const storing = { ...STORING, delivered: new Map() };
  const batches = storeMessages(messages, storing, acknowledge, latest);
  for (;;) {
    const { done, value } = await batches.next();
    acknowledged.push([...sofar]);
    if (done) return { latest, acknowledged, outcome: value };
    latest.append(value);
  }
}

const state = (fingerprint: string, versionTime?: string): UpsertDraft => ({
  ...{ kind: 'upsert', entity: 'e', origin: 'o', quads: [], fingerprint },
  ...(versionTime !== undefined && { versionTime }),
});
const END: Draft = { kind: 'delete', entity: 'e', origin: 'o' };
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T01:00:00Z';

const seen = (id: string) => ({ ...state(id), id });
const newest = state('new', LATE);

test.each<[id: string, what: string, before: Draft[], said: Said, kept: number, findings: object, isOld?: boolean]>([
  ['MQTT-7', 'a new state', [], [state('1')], 1, {}],
  ['MQTT-7', 'another state', [state('1')], [state('2')], 1, {}],
  ['MQTT-7', 'the same state', [state('1')], [state('1')], 0, { unchanged: 1 }],
  ['MQTT-7', 'the state that ended', [state('1'), END], [state('1')], 1, {}],
  ['MQTT-7', 'a new observation', [seen('i')], [seen('j')], 1, {}],
  ['MQTT-7', 'an observation before the newest one', [seen('i'), seen('j')], [seen('i')], 0, { repeated: 1 }],
  ['MQTT-7', 'the end of what lives', [state('1')], 'e', 1, { emptyMessages: 1 }],
  ['MQTT-7', 'the end of what does not live', [], 'e', 0, { emptyMessages: 1, unknownEnds: 1 }],
  ['MQTT-15', 'an end of another', [{ ...state('1'), origin: 'other' }], 'e', 0, { emptyMessages: 1, unknownEnds: 1 }],
  // An older state replaces a newer one only when it came for the first time.
  ['MQTT-7', 'an older state again', [newest], [state('old', EARLY)], 0, { outdated: 1 }, true],
  ['MQTT-7', 'an older state', [newest], [state('old', EARLY)], 1, { versionTimesBack: 1 }],
  ['MQTT-7', 'an older one after itself', [newest, state('old', EARLY)], [state('old', EARLY)], 0, { unchanged: 1 }],
  ['MQTT-7', 'the newest after an older one', [newest, state('old', EARLY)], [newest], 0, { unchanged: 1 }],
  ['MQTT-7', 'a state of the same time again', [newest], [state('other', LATE)], 1, {}, true],
  ['MQTT-7', 'a state after one without a time', [state('timeless')], [state('old', EARLY)], 1, {}, true],
])('%s %s', async (_, _what, before, said, kept, findings, isOld = false) => {
  const latest = new LatestMap();
  for (const draft of before) latest.append([draft]);
  const { outcome } = await store([said], latest, isOld);
  expect([outcome.upserts + outcome.deletes, outcome.findings]).toEqual([kept, findings]);
});

const drafts = fc.array(
  fc.record({ entity: fc.constantFrom('a', 'b', 'c', 'd'), id: fc.option(fc.constantFrom('1', '2', '3')) }),
  { maxLength: 3 },
);

test('MQTT-5 batches have an entity once, in the order of messages, and what is acknowledged is stored', async () => {
  await check(
    fc.asyncProperty(fc.array(drafts, { maxLength: 12 }), async (lists) => {
      let place = 0;
      const messages = lists.map((list) =>
        list.map(({ entity, id }) => {
          place += 1;
          return { ...state(String(place)), entity, ...(id !== null && { id: `${entity}${id}` }) };
        }),
      );
      const { latest, acknowledged } = await store(messages);
      const placeOf = (draft: Draft) => (draft.kind === 'upsert' ? Number(draft.fingerprint) : 0);
      for (const batch of latest.batches) {
        expect(batch.length).toBeGreaterThan(0);
        expect(new Set(batch.map(({ entity }) => entity)).size).toBe(batch.length);
      }
      const stored = latest.batches.flat();
      for (const entity of ['a', 'b', 'c', 'd']) {
        const places = stored.filter((draft) => draft.entity === entity).map(placeOf);
        expect(places).toEqual(places.toSorted((left, right) => left - right));
      }
      // Of an observation that comes twice the first is published.
      const ids = messages.flat().flatMap(({ id }) => id ?? []);
      expect(stored).toHaveLength(place - ids.length + new Set(ids).size);
      acknowledged.slice(0, -1).forEach((messageIds, index) => {
        const before = latest.batches.slice(0, index).flat() as UpsertDraft[];
        const known = new Set(before.map(({ id, fingerprint }) => id ?? fingerprint));
        const said = messageIds.flatMap((messageId) => messages[messageId - 1] ?? []);
        for (const { id, fingerprint } of said) expect(known).toContain(id ?? fingerprint);
      });
      expect(acknowledged.at(-1)).toEqual(lists.map((_, index) => index + 1));
    }),
  );
});

test('MQTT-5 as many versions of each of many entities as come take as many batches, not more', async () => {
  const messages = [0, 1, 2].flatMap((version) =>
    Array.from({ length: 50 }, (_, index) => [{ ...state(String(version)), entity: `e${index}` }]),
  );
  const { latest, acknowledged } = await store(messages);
  expect(latest.batches.map(({ length }) => length)).toEqual([50, 50, 50]);
  expect(acknowledged.map(({ length }) => length)).toEqual([0, 50, 100, 150]);
});

test('many messages give others their turn while they are read', async () => {
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 0);
  const busy = (): ReturnType<MessageStoring['mapping']['map']> => {
    const endMs = performance.now() + 2;
    while (performance.now() < endMs);
    return STORING.mapping.map({ document: [] });
  };
  const storing = { ...STORING, mapping: { reading: {}, map: busy }, delivered: new Map() };
  const messages = Array.from({ length: 50 }, (_, index) => messageOf([], index));
  await storeMessages(messages, storing, () => undefined, new LatestMap()).next();
  clearInterval(counting);
  expect(turns).toBeGreaterThanOrEqual(5);
});
