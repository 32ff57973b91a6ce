import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { hasTile, MAX_ZOOM, type Tile, tileAt, tilePath, WORLD } from '../src/places/tile.ts';
import { TileTree } from '../src/places/tile-tree.ts';

// Few places, so that many entities are in one, and far and near ones.
const places = [
  [3.7, 51.05],
  [3.7001, 51.05],
  [3.72, 51.06],
  [4.4, 51.2],
  [-0.1, 51.5],
  [180, 0],
  [-180, -90],
].map(([longitude, latitude]) => tileAt({ longitude: longitude as number, latitude: latitude as number }));

const steps = fc.array(
  fc.record({
    from: fc.nat({ max: 900 }),
    count: fc.integer({ min: 1, max: 300 }),
    place: fc.option(fc.nat({ max: places.length - 1 })),
  }),
  { maxLength: 12 },
);

// Everything that is reached from a tile, and what each tile on the way holds.
function walk(tree: TileTree, tile: Tile): { entities: string[]; tiles: Tile[] } {
  const content = tree.look(tile);
  if (content.kind === 'entities') return { entities: [...content.entities], tiles: [tile] };
  const below = content.tiles.map((child) => walk(tree, child));
  return { entities: below.flatMap(({ entities }) => entities), tiles: [tile, ...below.flatMap(({ tiles }) => tiles)] };
}

test('DOC-31 a tree has every entity once, where it is, and divides tiles of more than 250 and no others', () => {
  check(
    fc.property(steps, (taken) => {
      const tree = new TileTree();
      const model = new Map<string, Tile>();
      for (const { from, count, place } of taken) {
        for (let number = from; number < from + count; number += 1) {
          if (place === null) {
            tree.take(`e${number}`);
            model.delete(`e${number}`);
          } else {
            tree.put(`e${number}`, places[place] as Tile);
            model.set(`e${number}`, places[place] as Tile);
          }
        }
      }
      const { entities, tiles } = walk(tree, WORLD);
      expect(entities.sort()).toEqual([...model.keys()].sort());
      expect(new Set(tiles.map(tilePath)).size).toBe(tiles.length);
      for (const tile of [...tiles, ...places]) {
        const own = [...model].filter(([, place]) => hasTile(tile, place)).map(([entity]) => entity);
        const content = tree.look(tile);
        expect(content.kind, tilePath(tile)).toBe(own.length > 250 && tile.zoom < MAX_ZOOM ? 'tiles' : 'entities');
        if (content.kind === 'entities') expect([...content.entities].sort()).toEqual(own.sort());
        else {
          for (const child of content.tiles) {
            expect(child.zoom).toBeGreaterThan(tile.zoom);
            expect(walk(tree, child).entities.length).toBeGreaterThan(0);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
});

test.each([
  [250, 'entities'],
  [251, 'tiles'],
])('DOC-31 a tile of %d entities has %s', (count, kind) => {
  const tree = new TileTree();
  for (let number = 0; number < count; number += 1) tree.put(`e${number}`, places[number % 2 ? 0 : 3] as Tile);
  expect(tree.look(WORLD).kind).toBe(kind);
  tree.take('e0');
  expect(tree.look(WORLD).kind).toBe('entities');
});

test('a tile leads at once to where there is a choice', () => {
  const tree = new TileTree();
  for (let number = 0; number < 300; number += 1) tree.put(`e${number}`, places[number % 2 ? 0 : 2] as Tile);
  const content = tree.look(WORLD);
  const [only] = content.kind === 'tiles' ? content.tiles : [];
  expect(content).toEqual({ kind: 'tiles', tiles: [only] });
  expect(tree.look(only as Tile)).toMatchObject({ kind: 'tiles', tiles: { length: 2 } });
});
