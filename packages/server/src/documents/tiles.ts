/* The latest state by place: a tree of map tiles.
 *   geometry  (3.72, 51.05) -> the smallest tile that it is in { zoom: 18, x: 133780, y: 87810 }
 *   tree      a tile with at most 250 entities holds them; another one is divided in four, down to zoom 18
 *   index     the tree of the living entities of a log, made when it is first asked for; it follows the commits
 *   view      'tiles/12/2090/1372' -> the document of that tile: members, or the way to smaller tiles */
import { type ReadableLog, WorkSlice } from '@ldes-live/log';
import {
  formatCursor,
  LATEST_RETENTION,
  type Member,
  memberPosition,
  PAGE_MEMBERS,
  type Position,
  tileQuads,
} from '@ldes-live/rdf-stream';
import { type Found, type StreamDocument, streamUrls, type View, type WrittenStream } from './document.ts';

/** A square of the web Mercator map: at zoom 0 the whole earth is one, and each next zoom has four in each. */
export interface Tile {
  /** 0 to {@link MAX_ZOOM}. */
  readonly zoom: number;
  /** From west to east: 0 to `2 ** zoom - 1`. */
  readonly x: number;
  /** From north to south: 0 to `2 ** zoom - 1`. */
  readonly y: number;
}

/** The zoom of the smallest tiles: some 100 m across. */
export const MAX_ZOOM = 18;

export const WORLD: Tile = { zoom: 0, x: 0, y: 0 };

/** The latest state by place. @see specs/documents.md DOC-31 */
export function placeView(stream: WrittenStream): View {
  const index = new PlaceIndex(stream.log);
  const { tiles } = streamUrls(stream.description);
  const found = (node: PlaceNode): Found => {
    return { kind: 'document', document: tileDocument(stream, index, node), counted: 'tile' };
  };
  return {
    path: 'tiles',
    entry: { url: tiles, title: 'Latest state by place', retention: LATEST_RETENTION },
    find: (rest) => {
      const node = rest === '' ? WORLD : rest === 'elsewhere' ? rest : readTile(rest);
      if (!node) return undefined;
      // The earth is the root of the view, which has one URL.
      if (rest !== '' && node !== 'elsewhere' && node.zoom === 0) return { kind: 'redirect', url: tiles };
      return index.isReady ? found(node) : index.ready().then(() => found(node));
    },
    close: () => index.close(),
  };
}

type PlaceNode = Tile | 'elsewhere';

/** The newest versions of the living entities in a tile or, where they are more than 250, the way to smaller tiles. */
function tileDocument({ description, log, texts }: WrittenStream, index: PlaceIndex, node: PlaceNode): StreamDocument {
  const { tiles, shape } = streamUrls(description);
  const isRoot = node !== 'elsewhere' && node.zoom === 0;
  const url = isRoot ? tiles : node === 'elsewhere' ? `${tiles}/elsewhere` : `${tiles}/${tilePath(node)}`;
  const linkTo = (tile: Tile) => ({ url: `${tiles}/${tilePath(tile)}`, area: tileArea(tile) });
  return {
    url,
    state: () => {
      const { cursor } = log.head;
      return { version: formatCursor(cursor), cursor, caching: 'scheduled', profile: true };
    },
    build: async (format) => {
      const { timeMs: lastModifiedMs } = log.head;
      const content = node === 'elsewhere' ? undefined : index.tree.look(node);
      const entities =
        content === undefined ? [...index.elsewhere] : content.kind === 'entities' ? content.entities : [];
      const links: { url: string; area?: string }[] = content?.kind === 'tiles' ? content.tiles.map(linkTo) : [];
      if (isRoot && index.elsewhere.size > 0) links.push({ url: `${tiles}/elsewhere` });
      const quads = tileQuads(description, { url, isRoot, shape, links });
      const sequences = entities
        .flatMap((entity) => log.latest.get(entity)?.sequence ?? [])
        .sort((left, right) => left - right);
      const members = await texts.content(format, quads, sequences, (wanted) => log.readMembers(wanted));
      return { ...members, lastModifiedMs };
    },
  };
}

class PlaceIndex {
  readonly #log: ReadableLog;
  /** As of the log's head, as {@link elsewhere} is: living entities that have no position. */
  tree = new TileTree();
  elsewhere = new Set<string>();
  isReady = false;
  #ready: Promise<void> | undefined;
  #unsubscribe = () => {};

  constructor(log: ReadableLog) {
    this.#log = log;
  }

  /** Makes it, if it is not there yet; what fails is tried again with the next call. */
  ready(): Promise<void> {
    this.#ready ??= this.#build().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  close(): void {
    this.#unsubscribe();
  }

  async #build(): Promise<void> {
    this.tree = new TileTree();
    this.elsewhere = new Set();
    // What a commit brought meanwhile is newer than what is read.
    const committed = new Set<string>();
    let isBuilding = true;
    this.#unsubscribe = this.#log.subscribe((commit) => {
      const members = commit.members.filter(({ isOlder }) => !isOlder);
      if (isBuilding) for (const { entity } of members) committed.add(entity);
      for (const member of members) this.#place(member);
    });
    try {
      const members: (Member | undefined)[] = [...(await this.#log.readLatest())];
      const slice = new WorkSlice();
      for (const [index, member] of members.entries()) {
        // A member holds its quads as long as somebody holds it.
        members[index] = undefined;
        if (!member || committed.has(member.entity)) continue;
        this.#place(member);
        await slice.take(member.quads.length);
      }
      isBuilding = false;
      committed.clear();
      this.isReady = true;
    } catch (error) {
      this.#unsubscribe();
      throw error;
    }
  }

  #place(member: Member): void {
    const { entity } = member;
    const position = member.kind === 'upsert' ? memberPosition(member) : undefined;
    if (position) this.tree.put(entity, tileAt(position));
    else this.tree.take(entity);
    if (position || member.kind === 'delete') this.elsewhere.delete(entity);
    else this.elsewhere.add(entity);
  }
}

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

export class TileTree {
  readonly #world = leaf(WORLD);
  readonly #places = new Map<string, Tile>();

  put(entity: string, smallest: Tile): void {
    this.take(entity);
    this.#places.set(entity, smallest);
    add(this.#world, entity, smallest);
  }

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
      branch = branch.children[childAt(branch.tile, smallestIn(tile))];
    }
    if (!branch) return { kind: 'entities', entities: [] };
    if (!branch.entities) return { kind: 'tiles', tiles: filled(branch).map((child) => skipSingles(child).tile) };
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

function skipSingles(branch: Branch): Branch {
  const inside = branch.entities ? [] : filled(branch);
  return inside.length === 1 ? skipSingles(inside[0] as Branch) : branch;
}

/**
 * The smallest tile that a position is in. What lies on an edge is in the tile east or south of it; what lies beyond
 * the edge of the map, at the poles and on the antimeridian from the west, is in the tile beside it.
 */
export function tileAt({ longitude, latitude }: Position): Tile {
  const size = 2 ** MAX_ZOOM;
  const indexAt = (share: number) => Math.min(size - 1, Math.max(0, Math.floor(share * size)));
  const across = (longitude + 180) / 360;
  const down = (1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2;
  return { zoom: MAX_ZOOM, x: indexAt(across), y: indexAt(down) };
}

/** The four tiles that a tile is made of. @param tile - of a zoom below {@link MAX_ZOOM} */
export function childrenOf({ zoom, x, y }: Tile): readonly [Tile, Tile, Tile, Tile] {
  const child = (dx: number, dy: number): Tile => ({ zoom: zoom + 1, x: 2 * x + dx, y: 2 * y + dy });
  return [child(0, 0), child(1, 0), child(0, 1), child(1, 1)];
}

/** Which of the four tiles that a tile is made of has a tile of the smallest in it; -1 when that is not in the tile. */
export function childAt(tile: Tile, smallest: Tile): number {
  if (!hasTile(tile, smallest)) return -1;
  const up = MAX_ZOOM - tile.zoom - 1;
  return ((smallest.x >> up) & 1) + 2 * ((smallest.y >> up) & 1);
}

export function hasTile({ zoom, x, y }: Tile, smallest: Tile): boolean {
  const up = MAX_ZOOM - zoom;
  return smallest.x >> up === x && smallest.y >> up === y;
}

/** The tile that a path such as `12/2081/1372` names; `undefined` when it names none, or not in that one way. */
export function readTile(path: string): Tile | undefined {
  const [zoom, x, y] = /^(0|[1-9]\d?)\/(0|[1-9]\d{0,5})\/(0|[1-9]\d{0,5})$/.exec(path)?.slice(1).map(Number) ?? [];
  if (zoom === undefined || x === undefined || y === undefined) return undefined;
  const size = 2 ** zoom;
  return zoom <= MAX_ZOOM && x < size && y < size ? { zoom, x, y } : undefined;
}

export function tilePath({ zoom, x, y }: Tile): string {
  return `${zoom}/${x}/${y}`;
}

const STEPS_PER_DEGREE = 1e7;

/**
 * The area that a tile stands for: WKT, in degrees of longitude and latitude (CRS 84). It is a ten-millionth of a degree
 * larger on each side, so that what lies on an edge is within it; the northernmost and southernmost tiles reach to the
 * poles.
 */
export function tileArea({ zoom, x, y }: Tile): string {
  const size = 2 ** zoom;
  const longitude = (index: number) => (index / size) * 360 - 180;
  const latitude = (index: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * index) / size))) * 180) / Math.PI;
  const below = (degrees: number, limit: number) =>
    degreesText(Math.max(-limit * STEPS_PER_DEGREE, Math.floor(degrees * STEPS_PER_DEGREE) - 1));
  const above = (degrees: number, limit: number) =>
    degreesText(Math.min(limit * STEPS_PER_DEGREE, Math.ceil(degrees * STEPS_PER_DEGREE) + 1));
  const west = below(longitude(x), 180);
  const east = above(longitude(x + 1), 180);
  const north = y === 0 ? '90' : above(latitude(y), 90);
  const south = y === size - 1 ? '-90' : below(latitude(y + 1), 90);
  return `POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
}

// Fixed, since a number next to nothing would be printed with an exponent.
function degreesText(steps: number): string {
  return (steps / STEPS_PER_DEGREE).toFixed(7).replace(/\.?0+$/, '');
}
