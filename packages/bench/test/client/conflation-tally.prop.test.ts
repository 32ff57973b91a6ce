import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { ConflationTally } from '../../src/client/conflation-tally.ts';

const ENTITIES = 5;

test('whatever versions are left out, those that come in order are counted and none is called older', () => {
  check(
    fc.property(fc.array(fc.boolean(), { maxLength: 100 }), (isDelivered) => {
      const tally = new ConflationTally(ENTITIES, 1);
      isDelivered.forEach((delivers, index) => {
        if (delivers) tally.note(ENTITIES + index + 1);
      });
      expect(tally.counts).toEqual({ delivered: isDelivered.filter(Boolean).length, disordered: 0 });
    }),
  );
});

test('a version that comes after a newer one of its entity, or again, is told', () => {
  const tally = new ConflationTally(ENTITIES, 0);
  tally.note(2 * ENTITIES + 1);
  tally.note(ENTITIES + 1);
  tally.note(2 * ENTITIES + 1);
  tally.note(2);
  expect(tally.counts).toEqual({ delivered: 4, disordered: 2 });
});
