/* The latest state by place: a tree of map tiles.
 *   tile   of the web Mercator map: at zoom 0 the whole earth is one, and each next zoom has four in each. It is named by
 *          its quadkey, a digit for each zoom: 0 and 1 are the north-western and north-eastern quarter, 2 and 3 those south
 *          of them. { longitude: 3.72, latitude: 51.05 } is in '' and '1', '12', '120', ... down to the smallest, of zoom 18
 *   tree   a tile with at most 250 entities holds them; another one is divided in four, down to zoom 18
 *   index  the tree of the living entities of a log, made when it is first asked for; it follows the commits
 *   view   'tiles/12/2090/1372' -> the document of that tile: members, or the way to smaller tiles */
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

/** The zoom of the smallest tiles: some 100 m across. */
export const MAX_ZOOM = 18;

export const WORLD = '';

/** The node of what has no position; no quadkey has letters. */
const ELSEWHERE = 'elsewhere';

/** The latest state by place. @see specs/documents.md DOC-31 */
export function placeView(stream: WrittenStream): View {
  const index = new PlaceIndex(stream.log);
  const { tiles } = streamUrls(stream.description);
  const found = (node: string): Found => {
    return { kind: 'document', document: tileDocument(stream, index, node), counted: 'tile' };
  };
  return {
    path: 'tiles',
    entry: { url: tiles, title: 'Latest state by place', retention: LATEST_RETENTION },
    find: (rest) => {
      const node = rest === '' ? WORLD : rest === ELSEWHERE ? rest : readTile(rest);
      if (node === undefined) return undefined;
      // The earth is the root of the view, which has one URL.
      if (rest !== '' && node === WORLD) return { kind: 'redirect', url: tiles };
      return index.isReady ? found(node) : index.ready().then(() => found(node));
    },
    close: () => index.close(),
  };
}

/** The newest versions of the living entities in a tile or, where they are more than 250, the way to smaller tiles. */
function tileDocument({ description, log, texts }: WrittenStream, index: PlaceIndex, node: string): StreamDocument {
  const { tiles, shape } = streamUrls(description);
  const isRoot = node === WORLD;
  const url = isRoot ? tiles : `${tiles}/${node === ELSEWHERE ? node : tilePath(node)}`;
  return {
    url,
    state: () => {
      const { cursor } = log.head;
      return { version: formatCursor(cursor), cursor, caching: 'scheduled', profile: true };
    },
    build: async (format) => {
      const { timeMs: lastModifiedMs } = log.head;
      const content: TileContent = node === ELSEWHERE ? { entities: [...index.elsewhere] } : index.tree.look(node);
      const links: { url: string; area?: string }[] = (content.tiles ?? []).map((tile) => ({
        url: `${tiles}/${tilePath(tile)}`,
        area: tileArea(tile),
      }));
      if (isRoot && index.elsewhere.size > 0) links.push({ url: `${tiles}/${ELSEWHERE}` });
      const quads = tileQuads(description, { url, isRoot, shape, links });
      const sequences = (content.entities ?? [])
        .flatMap((entity) => log.latest.get(entity)?.sequence ?? [])
        .sort((left, right) => left - right);
      const members = await texts.content(format, quads, sequences, (wanted) => log.readMembers(wanted));
      return { ...members, lastModifiedMs };
    },
  };
}

class PlaceIndex {
  readonly #log: ReadableLog;
  /** As of the log's head once it is ready, as {@link elsewhere} is: living entities that have no position. */
  readonly tree = new TileTree();
  readonly elsewhere = new Set<string>();
  isReady = false;
  #ready: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;

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
    this.#unsubscribe?.();
  }

  async #build(): Promise<void> {
    this.#unsubscribe ??= this.#log.subscribe(({ members }) => {
      for (const member of members) if (!member.isOlder) this.#place(member);
    });
    const members: (Member | undefined)[] = [...(await this.#log.readLatest())];
    const slice = new WorkSlice();
    for (const [index, member] of members.entries()) {
      // A member holds its quads as long as somebody holds it.
      members[index] = undefined;
      // What a commit brought meanwhile is newer than what is read.
      if (!member || this.#log.latest.get(member.entity)?.sequence !== member.sequence) continue;
      this.#place(member);
      await slice.take(member.quads.length);
    }
    this.isReady = true;
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
  | { readonly entities: readonly string[]; readonly tiles?: never }
  | { readonly tiles: readonly string[]; readonly entities?: never };

/** Entities by the smallest tile that they are in. */
export class TileTree {
  readonly #world = new Branch(WORLD);
  readonly #places = new Map<string, string>();

  put(entity: string, smallest: string): void {
    this.take(entity);
    this.#places.set(entity, smallest);
    this.#world.add(entity, smallest);
  }

  take(entity: string): void {
    const place = this.#places.get(entity);
    if (place === undefined) return;
    this.#places.delete(entity);
    this.#world.remove(entity, place);
  }

  /**
   * What is in a tile. A tile that is divided leads to the tiles in it that have entities; where that would be a single
   * one it leads to what that one leads to, down to where there is a choice or an end.
   */
  look(tile: string): TileContent {
    let branch: Branch | undefined = this.#world;
    while (branch && !branch.entities && branch.tile !== tile) branch = branch.children[branch.childOf(tile)];
    if (!branch) return { entities: [] };
    if (!branch.entities) return { tiles: branch.filled().map(skipSingles) };
    return { entities: [...branch.entities].flatMap(([entity, place]) => (place.startsWith(tile) ? entity : [])) };
  }
}

const ZERO = '0'.charCodeAt(0);

/** A tile with at most 250 entities holds them; another one is divided, unless it is one of the smallest. */
class Branch {
  readonly tile: string;
  count = 0;
  entities: Map<string, string> | undefined = new Map();
  children: (Branch | undefined)[] = [];

  constructor(tile: string) {
    this.tile = tile;
  }

  childOf(place: string): number {
    return place.charCodeAt(this.tile.length) - ZERO;
  }

  filled(): Branch[] {
    return this.children.filter((child) => child !== undefined);
  }

  add(entity: string, place: string): void {
    this.count += 1;
    if (!this.entities) {
      const index = this.childOf(place);
      this.children[index] ??= new Branch(this.tile + index);
      this.children[index].add(entity, place);
      return;
    }
    this.entities.set(entity, place);
    if (this.count <= PAGE_MEMBERS || this.tile.length === MAX_ZOOM) return;
    const moved = this.entities;
    this.entities = undefined;
    this.count = 0;
    for (const [name, at] of moved) this.add(name, at);
  }

  remove(entity: string, place: string): void {
    this.count -= 1;
    if (this.entities) {
      this.entities.delete(entity);
      return;
    }
    const index = this.childOf(place);
    const child = this.children[index] as Branch;
    child.remove(entity, place);
    if (child.count === 0) this.children[index] = undefined;
    if (this.count > PAGE_MEMBERS) return;
    // Each child has no more than its parent, so all of them hold their own.
    this.entities = new Map(this.filled().flatMap(({ entities }) => [...(entities as Map<string, string>)]));
    this.children = [];
  }
}

function skipSingles(branch: Branch): string {
  const [first, ...others] = branch.filled();
  return first && others.length === 0 ? skipSingles(first) : branch.tile;
}

/**
 * The smallest tile that a position is in. What lies on an edge is in the tile east or south of it; what lies beyond
 * the edge of the map, at the poles and on the antimeridian from the west, is in the tile beside it.
 */
export function tileAt({ longitude, latitude }: Position): string {
  const size = 2 ** MAX_ZOOM;
  const indexAt = (share: number) => Math.min(size - 1, Math.max(0, Math.floor(share * size)));
  const across = (longitude + 180) / 360;
  const down = (1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2;
  return quadkey(MAX_ZOOM, indexAt(across), indexAt(down));
}

/** @param x - from west to east: 0 to `2 ** zoom - 1`. @param y - from north to south, likewise */
function quadkey(zoom: number, x: number, y: number): string {
  const digits: number[] = [];
  for (let up = zoom - 1; up >= 0; up -= 1) digits.push(ZERO + ((x >> up) & 1) + 2 * ((y >> up) & 1));
  return String.fromCharCode(...digits);
}

function gridOf(tile: string): { zoom: number; x: number; y: number } {
  let [x, y] = [0, 0];
  for (const digit of tile) [x, y] = [2 * x + (Number(digit) & 1), 2 * y + (Number(digit) >> 1)];
  return { zoom: tile.length, x, y };
}

/** The tile that a path such as `12/2081/1372` names; `undefined` when it names none, or not in that one way. */
export function readTile(path: string): string | undefined {
  const [zoom, x, y] = /^(0|[1-9]\d?)\/(0|[1-9]\d{0,5})\/(0|[1-9]\d{0,5})$/.exec(path)?.slice(1).map(Number) ?? [];
  if (zoom === undefined || x === undefined || y === undefined) return undefined;
  const size = 2 ** zoom;
  return zoom <= MAX_ZOOM && x < size && y < size ? quadkey(zoom, x, y) : undefined;
}

export function tilePath(tile: string): string {
  const { zoom, x, y } = gridOf(tile);
  return `${zoom}/${x}/${y}`;
}

const STEPS_PER_DEGREE = 1e7;

/**
 * The area that a tile stands for: WKT, in degrees of longitude and latitude (CRS 84). It is a ten-millionth of a degree
 * larger on each side, so that what lies on an edge is within it; the northernmost and southernmost tiles reach to the
 * poles.
 */
export function tileArea(tile: string): string {
  const { zoom, x, y } = gridOf(tile);
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
