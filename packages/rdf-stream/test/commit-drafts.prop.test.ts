import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { commitDrafts, type Draft, type LogHead, namedNode, quad } from '../src/index.ts';

const SEQUENCE = 'http://localhost:3000/ns/live#sequence';
const EMPTY: LogHead = { cursor: { epoch: 'e1', sequence: 0 }, timeMs: 0 };

function draftOf(entity: string): Draft {
  const iri = `http://example.org/${entity}`;
  const quads = [quad(namedNode(iri), namedNode('http://example.org/p'), namedNode('http://example.org/o'))];
  return { kind: 'upsert', entity: iri, origin: 'feed', fingerprint: entity, quads };
}

test('DOC-4 a commit continues the sequence of its log and has one time', () => {
  const commit = commitDrafts(
    [draftOf('a'), draftOf('b')],
    { ...EMPTY, cursor: { epoch: 'e1', sequence: 7 } },
    1000,
    SEQUENCE,
  );
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
        const commit = commitDrafts([draftOf('a')], head, nowMs, SEQUENCE);
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
  expect(() => commitDrafts([draftOf('a'), draftOf('a')], EMPTY, 0, SEQUENCE)).toThrow(
    expect.objectContaining({ code: 'ERR_DRAFT_REPEATED', details: { entity: 'http://example.org/a' } }),
  );
});
