import { check, fc } from '@ldes-live/test-support/properties';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import {
  as,
  commitDrafts,
  type Draft,
  dct,
  isNewestState,
  type LogHead,
  type Member,
  prov,
  xsd,
} from '../src/index.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const SEQUENCE_PATH = 'http://localhost/ns/live#sequence';
const EMPTY: LogHead = { cursor: { epoch: 'e1', sequence: 0 }, timeMs: 0 };
const ENTITY = 'http://example.org/1';

/** Quads of Turtle, blank nodes by their labels. */
function quadsOf(turtle: string) {
  const prefixes = {
    '': 'http://example.org/',
    dct: dct.isVersionOf.replace('isVersionOf', ''),
    xsd: xsd.string.slice(0, -6),
  };
  const head = Object.entries(prefixes).map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .`);
  return new Parser({ blankNodePrefix: '' }).parse([...head, turtle].join('\n'));
}

const upsert = {
  kind: 'upsert',
  entity: ENTITY,
  origin: 'feed',
  fingerprint: 'f',
  versionTime: '2025-12-31T23:59:59Z',
  quads: quadsOf(':1 :p _:x . _:x :p "1" . :1 a :Vehicle . :other :p :1 . _:y :p _:x .'),
} as const;
const remove = { kind: 'delete', entity: ENTITY, origin: 'feed' } as const;

/** The member that a draft becomes as the 42nd of its log. */
function memberOf(draft: Draft): Member {
  const head = { ...EMPTY, cursor: { epoch: 'e1', sequence: 41 } };
  return commitDrafts([draft], head, Date.parse(TIME), SEQUENCE_PATH).members[0] as Member;
}

/** What a place says of a version. */
const ownOf = (version: string) => `
  <${version}> <${dct.isVersionOf}> :1 . <${version}> <${prov.generatedAtTime}> "${TIME}"^^xsd:dateTime .
  <${version}> <${SEQUENCE_PATH}> 42 .`;

test.each<[what: string, draft: Draft, id: string, turtle: string]>([
  [
    'what is said of the entity is said of its version; as an object the entity stays the entity',
    upsert,
    `${ENTITY}#${TIME}`,
    `<${ENTITY}#${TIME}> a :Vehicle . ${ownOf(`${ENTITY}#${TIME}`)} <${ENTITY}#${TIME}> :p _:m42b0 .
      _:m42b0 :p "1" . :other :p :1 . _:m42b1 :p _:m42b0 .`,
  ],
  [
    'a delete says what it deletes and when, and nothing else',
    remove,
    `${ENTITY}#${TIME}`,
    `<${ENTITY}#${TIME}> a <${as.Delete}> . ${ownOf(`${ENTITY}#${TIME}`)}`,
  ],
  [
    'a delete that has an IRI of its own is named by it',
    { ...remove, id: 'http://example.org/end' },
    'http://example.org/end',
    `:end a <${as.Delete}> . ${ownOf('http://example.org/end')}`,
  ],
  [
    'a version that has an IRI of its own is named by it, and what is said of it stays as it is',
    { ...upsert, id: 'http://example.org/o', quads: quadsOf(':o a :Observation . :o :p :1 . :1 :p _:x .') },
    'http://example.org/o',
    `:o a :Observation . ${ownOf('http://example.org/o')} :o :p :1 . :1 :p _:m42b0 .`,
  ],
])('DOC-3 %s; type, entity, time and sequence come first', (_what, draft, id, turtle) => {
  const member = memberOf(draft);
  const { kind, entity } = draft;
  const versionTime = kind === 'upsert' ? { versionTime: upsert.versionTime } : {};
  expect(member).toMatchObject({ id, entity, kind, sequence: 42, time: TIME, ...versionTime });
  const expected = quadsOf(turtle);
  expect(member.quads).toHaveLength(expected.length);
  for (const [index, said] of expected.entries()) expect(member.quads[index]?.equals(said), `${index}`).toBe(true);
});

test('DOC-3 an entity IRI with a fragment gives a version IRI with one fragment', () => {
  const member = memberOf({ ...remove, entity: 'http://example.org/feed#v1' });
  expect(member.id).toBe(`http://example.org/feed#v1/${TIME}`);
});

const draftOf = (entity: string): Draft => ({ ...upsert, entity: `http://example.org/${entity}` });

test('DOC-4 a commit continues the sequence of its log and has one time', () => {
  const head = { ...EMPTY, cursor: { epoch: 'e1', sequence: 7 } };
  const commit = commitDrafts([draftOf('a'), draftOf('b')], head, 1000, SEQUENCE_PATH);
  expect(commit.cursor).toEqual({ epoch: 'e1', sequence: 9 });
  expect(commit.time).toBe('1970-01-01T00:00:01.000Z');
  expect(commit.members.map(({ sequence, time }) => [sequence, time])).toEqual([
    [8, commit.time],
    [9, commit.time],
  ]);
});

test('DOC-4 publication times strictly increase, whatever the clock does', () => {
  check(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 2, maxLength: 20 }), (clock) => {
      let head = EMPTY;
      const ids = new Set<string>();
      for (const nowMs of clock) {
        const commit = commitDrafts([draftOf('a')], head, nowMs, SEQUENCE_PATH);
        expect(Date.parse(commit.time)).toBeGreaterThan(head.timeMs);
        expect(Date.parse(commit.time)).toBeGreaterThanOrEqual(nowMs);
        ids.add(commit.members[0]?.id ?? '');
        head = { cursor: commit.cursor, timeMs: Date.parse(commit.time) };
      }
      expect(ids.size).toBe(clock.length);
    }),
  );
});

test('DOC-4 two drafts of one entity are refused', () => {
  expect(() => commitDrafts([draftOf('a'), draftOf('a')], EMPTY, 0, SEQUENCE_PATH)).toThrow(
    expect.objectContaining({ code: 'ERR_DRAFT_REPEATED', details: { entity: 'http://example.org/a' } }),
  );
});

test.each([
  ['later', '2026-01-01T12:00:00Z', '2026-01-01T11:00:00Z', true],
  ['earlier', '2026-01-01T11:00:00Z', '2026-01-01T12:00:00Z', false],
  ['equal, in another zone', '2026-01-01T12:00:00+01:00', '2026-01-01T11:00:00.000Z', true],
  ['later, in another zone', '2026-01-01T11:30:00-01:00', '2026-01-01T12:00:00Z', true],
  ['equal in milliseconds', '2026-01-01T12:00:00.0001Z', '2026-01-01T12:00:00.0009Z', true],
  ['earlier, without a zone', '2026-01-01T11:59:59', '2026-01-01T12:00:00Z', false],
  ['equal, without a zone', '2026-01-01T12:00:00', '2026-01-01T12:00:00Z', true],
  ['a day before', '2025-12-31', '2026-01-01T00:00:00Z', false],
  ['unreadable', 'yesterday', '2026-01-01T12:00:00Z', true],
  ['compared to what is unreadable', '2026-01-01T12:00:00Z', '7', true],
  ['missing', undefined, '2026-01-01T12:00:00Z', true],
  ['compared to what has none', '2026-01-01T12:00:00Z', undefined, true],
])('DOC-76 a version whose time is %s', (_, versionTime, known, isNewest) => {
  expect(isNewestState({ kind: 'upsert', versionTime }, { versionTime: known })).toBe(isNewest);
  expect(isNewestState({ kind: 'upsert', versionTime }, undefined)).toBe(true);
  expect(isNewestState({ kind: 'delete', versionTime }, { versionTime: known })).toBe(true);
});
