import { PAGE_MEMBERS } from '@ldes-live/rdf-stream';
import { childAt, childrenOf, hasTile, MAX_ZOOM, type Tile, WORLD } from './tile.ts';

/** What a tile has in it: few entities, or so many that it is divided. */
export type TileContent =
  | { readonly kind: 'entities'; readonly entities: readonly string[] }
  | { readonly kind: 'tiles'; readonly tiles: readonly Tile[] };

// A tile with at most 250 entities holds them; another one is divided, unless it is one of the smallest.
interface Branch {
  readonly tile: Tile;
  count: number;
  entities: Map<string, Tile> | undefined;
  children: (Branch | undefined)[];
}

/** Entities by the tile that they are in. */
export class TileTree {
  readonly #world = leaf(WORLD);
  readonly #places = new Map<string, Tile>();

  /**
   * Puts an entity somewhere, or somewhere else.
   *
   * @param smallest - one of the smallest tiles
   */
  put(entity: string, smallest: Tile): void {
    this.take(entity);
    this.#places.set(entity, smallest);
    add(this.#world, entity, smallest);
  }

  /** Takes an entity out, if it is there. */
  take(entity: string): void {
    const place = this.#places.get(entity);
    if (!place) return;
    this.#places.delete(entity);
    remove(this.#world, entity, place);
  }

  /**
   * What is in a tile. A tile that is divided leads to the tiles in it that have entities; where that would be a single
   * one it leads to what that one leads to, down to where there is a choice or an end.
   */
  look(tile: Tile): TileContent {
    let branch: Branch | undefined = this.#world;
    while (branch && branch.tile.zoom < tile.zoom && !branch.entities) {
      const smallest = smallestIn(tile);
      branch = branch.children[childAt(branch.tile, smallest)];
    }
    if (!branch) return { kind: 'entities', entities: [] };
    if (!branch.entities) return { kind: 'tiles', tiles: filled(branch).map((child) => narrowed(child).tile) };
    const within = [...branch.entities].filter(([, place]) => hasTile(tile, place));
    return { kind: 'entities', entities: within.map(([entity]) => entity) };
  }
}

function leaf(tile: Tile): Branch {
  return { tile, count: 0, entities: new Map(), children: [] };
}

function smallestIn({ zoom, x, y }: Tile): Tile {
  const size = 2 ** (MAX_ZOOM - zoom);
  return { zoom: MAX_ZOOM, x: x * size, y: y * size };
}

function add(branch: Branch, entity: string, place: Tile): void {
  branch.count += 1;
  if (!branch.entities) {
    const index = childAt(branch.tile, place);
    const child = branch.children[index] ?? leaf(childrenOf(branch.tile)[index] as Tile);
    branch.children[index] = child;
    add(child, entity, place);
    return;
  }
  branch.entities.set(entity, place);
  if (branch.count <= PAGE_MEMBERS || branch.tile.zoom === MAX_ZOOM) return;
  const moved = branch.entities;
  branch.entities = undefined;
  branch.count = 0;
  for (const [name, at] of moved) add(branch, name, at);
}

function remove(branch: Branch, entity: string, place: Tile): void {
  branch.count -= 1;
  if (branch.entities) {
    branch.entities.delete(entity);
    return;
  }
  const index = childAt(branch.tile, place);
  const child = branch.children[index] as Branch;
  remove(child, entity, place);
  if (child.count === 0) branch.children[index] = undefined;
  if (branch.count > PAGE_MEMBERS) return;
  // Each child has no more than its parent, so all of them hold their own.
  branch.entities = new Map(filled(branch).flatMap(({ entities }) => [...(entities as Map<string, Tile>)]));
  branch.children = [];
}

function filled(branch: Branch): Branch[] {
  return branch.children.filter((child) => child !== undefined);
}

function narrowed(branch: Branch): Branch {
  const inside = branch.entities ? [] : filled(branch);
  return inside.length === 1 ? narrowed(inside[0] as Branch) : branch;
}
