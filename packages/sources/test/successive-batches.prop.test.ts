import type { UpsertDraft } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { successiveBatches } from '../src/successive-batches.ts';

const drafts = fc.array(
  fc
    .record({ entity: fc.constantFrom(...'abcde'), id: fc.uuid() })
    .map(({ entity, id }): UpsertDraft => ({ kind: 'upsert', entity, id, origin: 'x', quads: [], fingerprint: id })),
);

test('SRC-15 batches have all drafts, one of an entity each, in the order of each entity, and are as few as can be', () => {
  check(
    fc.property(drafts, (all) => {
      const batches = successiveBatches(all);
      const ofEntity = (entity: string, some: readonly { entity: string }[]) =>
        some.filter((one) => one.entity === entity);
      for (const entity of 'abcde') expect(ofEntity(entity, batches.flat())).toEqual(ofEntity(entity, all));
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0);
        expect(new Set(batch.map(({ entity }) => entity)).size).toBe(batch.length);
      }
      expect(batches).toHaveLength(Math.max(0, ...[...'abcde'].map((entity) => ofEntity(entity, all).length)));
    }),
  );
});
