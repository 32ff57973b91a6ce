import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { MAX_ZOOM, readTile, TileTree, tileArea, tileAt, tilePath, WORLD } from '../src/documents/tiles.ts';

const edges = [-180, -90, -85.0511287798066, -45, 0, 45, 66.51326044311186, 85.0511287798066, 90, 180];
const degrees = (limit: number) =>
  fc.oneof(
    fc.double({ min: -limit, max: limit, noNaN: true }),
    fc.constantFrom(...edges.filter((edge) => Math.abs(edge) <= limit)),
  );
const positions = fc.record({ longitude: degrees(180), latitude: degrees(90) });
const paths = fc.nat({ max: MAX_ZOOM }).chain((zoom) => {
  const index = fc.nat({ max: 2 ** zoom - 1 });
  return fc.tuple(fc.constant(zoom), index, index).map((parts) => parts.join('/'));
});

// As numbers: west, south, east, north.
function boundsOf(tile: string): [number, number, number, number] {
  const corners = [...tileArea(tile).matchAll(/(-?\d+(?:\.\d+)?) (-?\d+(?:\.\d+)?)/g)].map(([, east, north]) => [
    Number(east),
    Number(north),
  ]);
  expect(corners).toHaveLength(5);
  expect(corners[4]).toEqual(corners[0]);
  const [southWest, , northEast] = corners as [number[], number[], number[], ...number[][]];
  return [...southWest, ...northEast] as [number, number, number, number];
}

test('DOC-31 the area of a tile has every position in it, and that of the tile around it has the area', () => {
  check(
    fc.property(positions, fc.nat({ max: MAX_ZOOM }), (position, zoom) => {
      const smallest = tileAt(position);
      expect(smallest).toMatch(/^[0-3]{18}$/);
      const tile = smallest.slice(0, zoom);
      const [west, south, east, north] = boundsOf(tile);
      expect(position.longitude).toBeGreaterThanOrEqual(west);
      expect(position.longitude).toBeLessThanOrEqual(east);
      expect(position.latitude).toBeGreaterThanOrEqual(south);
      expect(position.latitude).toBeLessThanOrEqual(north);
      if (zoom === 0) return;
      const outer = boundsOf(tile.slice(0, -1));
      expect([west >= outer[0], south >= outer[1], east <= outer[2], north <= outer[3]]).not.toContain(false);
    }),
  );
});

test('DOC-31 the world reaches from pole to pole', () => {
  expect(tileArea(WORLD)).toBe('POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))');
  expect(tileArea('1')).toBe(
    'POLYGON ((-0.0000001 -0.0000001, 180 -0.0000001, 180 90, -0.0000001 90, -0.0000001 -0.0000001))',
  );
});

test('a path names one tile, and no tile has two', () => {
  check(
    fc.property(paths, (path) => {
      const tile = readTile(path) as string;
      expect(tilePath(tile)).toBe(path);
      expect(path.startsWith(`${tile.length}/`)).toBe(true);
    }),
  );
  for (const path of ['', '0', '0/0', '1/2/0', '1/0/2', '19/0/0', '01/0/0', '1/00/0', '1/-1/0', '1/0/0/', 'a/0/0']) {
    expect(readTile(path), path).toBeUndefined();
  }
});

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
function walk(tree: TileTree, tile: string): { entities: string[]; tiles: string[] } {
  const content = tree.look(tile);
  if (content.entities) return { entities: [...content.entities], tiles: [tile] };
  const below = content.tiles.map((child) => walk(tree, child));
  return { entities: below.flatMap(({ entities }) => entities), tiles: [tile, ...below.flatMap(({ tiles }) => tiles)] };
}

test('DOC-31 a tree has every entity once, where it is, and divides tiles of more than 250 and no others', () => {
  check(
    fc.property(steps, (taken) => {
      const tree = new TileTree();
      const model = new Map<string, string>();
      for (const { from, count, place } of taken) {
        for (let number = from; number < from + count; number += 1) {
          if (place === null) {
            tree.take(`e${number}`);
            model.delete(`e${number}`);
          } else {
            tree.put(`e${number}`, places[place] as string);
            model.set(`e${number}`, places[place] as string);
          }
        }
      }
      const { entities, tiles } = walk(tree, WORLD);
      expect(entities.sort()).toEqual([...model.keys()].sort());
      expect(new Set(tiles).size).toBe(tiles.length);
      for (const tile of [...tiles, ...places]) {
        const own = [...model].filter(([, place]) => place.startsWith(tile)).map(([entity]) => entity);
        const content = tree.look(tile);
        expect(content.tiles !== undefined, tile).toBe(own.length > 250 && tile.length < MAX_ZOOM);
        if (content.entities) expect([...content.entities].sort()).toEqual(own.sort());
        else {
          for (const child of content.tiles) {
            expect(child.length).toBeGreaterThan(tile.length);
            expect(child.startsWith(tile)).toBe(true);
            expect(walk(tree, child).entities.length).toBeGreaterThan(0);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('DOC-31 a tile of 250 entities holds them, one of 251 leads at once to where there is a choice', () => {
  const tree = new TileTree();
  const put = (number: number) => tree.put(`e${number}`, places[number % 2 ? 0 : 2] as string);
  for (let number = 0; number < 250; number += 1) put(number);
  expect(tree.look(WORLD).entities).toHaveLength(250);
  put(250);
  const [only] = tree.look(WORLD).tiles as [string];
  expect(tree.look(WORLD)).toEqual({ tiles: [only] });
  expect(tree.look(only)).toMatchObject({ tiles: { length: 2 } });
  tree.take('e0');
  expect(tree.look(WORLD).entities).toHaveLength(250);
});
