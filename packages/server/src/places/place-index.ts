import type { ReadableLog } from '@ldes-live/log';
import { WorkSlice } from '@ldes-live/log';
import { type Member, memberPosition } from '@ldes-live/rdf-stream';
import { type Tile, tileAt } from './tile.ts';
import { type TileContent, TileTree } from './tile-tree.ts';

/**
 * Where the living entities of a stream are. It is made when it is first asked for and follows the log from then on; it
 * holds no more than an entry for each living entity.
 */
export class PlaceIndex {
  readonly #log: ReadableLog;
  #tree = new TileTree();
  #elsewhere = new Set<string>();
  #ready: Promise<void> | undefined;
  #isReady = false;
  #unsubscribe = () => {};

  constructor(log: ReadableLog) {
    this.#log = log;
  }

  /** Whether it can be asked. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Makes it, if it is not there yet; what fails is tried again with the next call. */
  ready(): Promise<void> {
    this.#ready ??= this.#build().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** What is in a tile, as of the log's head. */
  look(tile: Tile): TileContent {
    return this.#tree.look(tile);
  }

  /** Living entities that have no position, as of the log's head. */
  get elsewhere(): ReadonlySet<string> {
    return this.#elsewhere;
  }

  /** Follows the log no longer. */
  close(): void {
    this.#unsubscribe();
  }

  async #build(): Promise<void> {
    this.#tree = new TileTree();
    this.#elsewhere = new Set();
    // What a commit has told of meanwhile is newer than what is read.
    const told = new Set<string>();
    let isBuilding = true;
    this.#unsubscribe = this.#log.subscribe((commit) => {
      const members = commit.members.filter(({ isOlder }) => !isOlder);
      if (isBuilding) for (const { entity } of members) told.add(entity);
      this.#take(members);
    });
    try {
      const members: (Member | undefined)[] = [...(await this.#log.readLatest())];
      const slice = new WorkSlice();
      for (const [index, member] of members.entries()) {
        // A member holds its quads as long as somebody holds it.
        members[index] = undefined;
        if (!member || told.has(member.entity)) continue;
        this.#place(member);
        await slice.take(member.quads.length);
      }
      isBuilding = false;
      told.clear();
      this.#isReady = true;
    } catch (error) {
      this.#unsubscribe();
      throw error;
    }
  }

  #take(members: readonly Member[]): void {
    for (const member of members) {
      if (member.kind === 'upsert') this.#place(member);
      else {
        this.#tree.take(member.entity);
        this.#elsewhere.delete(member.entity);
      }
    }
  }

  #place(member: Member): void {
    const { entity } = member;
    const position = memberPosition(member);
    if (position) {
      this.#elsewhere.delete(entity);
      this.#tree.put(entity, tileAt(position));
    } else {
      this.#tree.take(entity);
      this.#elsewhere.add(entity);
    }
  }
}
