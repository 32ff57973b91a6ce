import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { BoxGrid } from '../../src/push/narrowing/box-grid.ts';
import { boxHas } from '../../src/push/narrowing/box-has.ts';
import { boxes, positions, within } from './generated.ts';

test('PUSH-24 the grid names every box that has a position in it, wherever it is', () => {
  const placed = boxes.chain((box) => fc.tuple(fc.constant(box), fc.oneof(within(box), positions)));
  check(
    fc.property(placed, fc.array(boxes, { maxLength: 5 }), ([box, position], others) => {
      const grid = new BoxGrid<string>();
      grid.add('it', [box]);
      grid.add('others', others);
      const near = new Set(grid.near(position));
      if (boxHas(box, position)) expect(near).toContain('it');
      if (others.some((other) => boxHas(other, position))) expect(near).toContain('others');
    }),
    { numRuns: 5000 },
  );
});

test('PUSH-23 a box is in few cells: those far from it do not lead to it', () => {
  check(
    fc.property(boxes, positions, (box, position) => {
      const span = box.west <= box.east ? box.east - box.west : box.east - box.west + 360;
      const size = Math.max(span, box.north - box.south, 360 / 2 ** 18);
      const east = (position.longitude - box.west + 360) % 360;
      // All of a pole is one place, whatever the longitude: who reaches it is near all that is around it.
      const isByPole = [box.south, box.north].some(
        (edge) => Math.abs(edge) === 90 && Math.abs(position.latitude - edge) <= 4 * size,
      );
      fc.pre(east > span + 4 * size && east < 360 - 4 * size && Math.abs(position.latitude) !== 90 && !isByPole);
      const grid = new BoxGrid<string>();
      grid.add('it', [box]);
      expect([...grid.near(position)]).toEqual([]);
    }),
  );
});

test('PUSH-23 what is taken away is gone, and only that', () => {
  check(
    fc.property(fc.array(boxes, { minLength: 1, maxLength: 4 }), positions, (all, position) => {
      const grid = new BoxGrid<string>();
      grid.add('stays', all);
      const before = [...grid.near(position)];
      grid.add('goes', all);
      grid.add('goes', all);
      grid.remove('goes', all);
      grid.remove('goes', all);
      expect([...grid.near(position)]).toEqual(before);
      grid.remove('stays', all);
      expect([...grid.near(position)]).toEqual([]);
    }),
  );
});
