import type { Position } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import {
  childAt,
  childrenOf,
  hasTile,
  MAX_ZOOM,
  readTile,
  type Tile,
  TileTree,
  tileArea,
  tileAt,
  tilePath,
  WORLD,
} from '../src/documents/tiles.ts';

const edges = [-180, -90, -85.0511287798066, -45, 0, 45, 66.51326044311186, 85.0511287798066, 90, 180];
const degrees = (limit: number) =>
  fc.oneof(
    fc.double({ min: -limit, max: limit, noNaN: true }),
    fc.constantFrom(...edges.filter((edge) => Math.abs(edge) <= limit)),
  );
const positions = fc.record({ longitude: degrees(180), latitude: degrees(90) });
const tiles = (longest = MAX_ZOOM): fc.Arbitrary<Tile> =>
  fc.nat({ max: longest }).chain((zoom) => {
    const index = fc.nat({ max: 2 ** zoom - 1 });
    return fc.record({ zoom: fc.constant(zoom), x: index, y: index });
  });

// As numbers: west, south, east, north.
function boundsOf(tile: Tile): [number, number, number, number] {
  const corners = [...tileArea(tile).matchAll(/(-?\d+(?:\.\d+)?) (-?\d+(?:\.\d+)?)/g)].map(([, east, north]) => [
    Number(east),
    Number(north),
  ]);
  expect(corners).toHaveLength(5);
  expect(corners[4]).toEqual(corners[0]);
  const [southWest, , northEast] = corners as [number[], number[], number[], ...number[][]];
  return [...southWest, ...northEast] as [number, number, number, number];
}

test('DOC-31 every position, poles and antimeridian included, is in exactly one tile of each zoom', () => {
  check(
    fc.property(positions, (position: Position) => {
      const smallest = tileAt(position);
      let tile = WORLD;
      expect(hasTile(tile, smallest)).toBe(true);
      for (let zoom = 1; zoom <= MAX_ZOOM; zoom += 1) {
        const within = childrenOf(tile).filter((child) => hasTile(child, smallest));
        expect(within).toHaveLength(1);
        expect(childrenOf(tile)[childAt(tile, smallest)]).toEqual(within[0]);
        tile = within[0] as Tile;
        expect(tile.zoom).toBe(zoom);
      }
      expect(tile).toEqual(smallest);
    }),
  );
});

test('DOC-31 the four tiles in a tile are the tile: nothing lies outside of them, nothing in two', () => {
  check(
    fc.property(tiles(MAX_ZOOM - 1), positions, (tile, position) => {
      const smallest = tileAt(position);
      const within = childrenOf(tile).filter((child) => hasTile(child, smallest));
      expect(within).toHaveLength(hasTile(tile, smallest) ? 1 : 0);
      expect(childAt(tile, smallest) >= 0).toBe(hasTile(tile, smallest));
      expect(new Set(childrenOf(tile).map(tilePath)).size).toBe(4);
    }),
  );
});

test('DOC-31 the area of a tile has every position in it, and that of the tile around it has the area', () => {
  check(
    fc.property(positions, fc.nat({ max: MAX_ZOOM }), (position, zoom) => {
      const { x, y } = tileAt(position);
      const tile = { zoom, x: x >> (MAX_ZOOM - zoom), y: y >> (MAX_ZOOM - zoom) };
      const [west, south, east, north] = boundsOf(tile);
      expect(position.longitude).toBeGreaterThanOrEqual(west);
      expect(position.longitude).toBeLessThanOrEqual(east);
      expect(position.latitude).toBeGreaterThanOrEqual(south);
      expect(position.latitude).toBeLessThanOrEqual(north);
      if (zoom === 0) return;
      const outer = boundsOf({ zoom: zoom - 1, x: tile.x >> 1, y: tile.y >> 1 });
      expect([west >= outer[0], south >= outer[1], east <= outer[2], north <= outer[3]]).not.toContain(false);
    }),
  );
});

test('DOC-31 the world reaches from pole to pole', () => {
  expect(tileArea(WORLD)).toBe('POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))');
  expect(tileArea({ zoom: 1, x: 1, y: 0 })).toBe(
    'POLYGON ((-0.0000001 -0.0000001, 180 -0.0000001, 180 90, -0.0000001 90, -0.0000001 -0.0000001))',
  );
});

test('a path names one tile, and no tile has two', () => {
  check(
    fc.property(tiles(), (tile) => {
      expect(readTile(tilePath(tile))).toEqual(tile);
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
