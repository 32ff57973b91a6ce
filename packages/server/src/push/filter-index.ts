/* Which readers of filtered streams a commit is for: those that it does not concern cost nothing, and those who ask for the
 * same are one.
 *   EncodedCommit -> subjects -> candidates by entity, box or type -> matches(filter, subject, where it was) -> Match
 *   { "filter": { "key": "…" }, "readers": [Subscriber, …], "chosen": [0, 3] }      // the members with those indices
 * What moves out of a box is sent too, so the index follows where entities are, as long as somebody asks for boxes. */
import {
  type Box,
  type Filter,
  type FilterSubject,
  type FormerPosition,
  matches,
  type Position,
} from '@ldes-live/rdf-stream';
import type { EncodedCommit } from './encoded-commits.ts';
import type { SnapshotSource } from './snapshots.ts';

/** The readers of one filter, and what a commit has for them. */
export interface Match<Reader> {
  readonly filter: Filter;
  /** As of now: it changes as readers come and go. */
  readonly readers: ReadonlySet<Reader>;
  /** Which of the commit's members are for them, at least one, in order; equal choices of a commit are the same array. */
  readonly chosen: readonly number[];
}

interface Group<Reader> {
  readonly filter: Filter;
  readonly readers: Set<Reader>;
}

/** Readers by what their filters ask for: each group under the one kind that leaves most out, entities, else boxes, else types. */
export class FilterIndex<Reader extends { readonly filter?: Filter | undefined; slot?: number }> {
  readonly #groups = new Map<string, Group<Reader>>();
  readonly #byEntity = new Map<string, Set<Group<Reader>>>();
  readonly #byType = new Map<string, Set<Group<Reader>>>();
  readonly #typed = new Set<Group<Reader>>();
  readonly #grid = new BoxGrid<Group<Reader>>();
  readonly #boxed = new Set<Group<Reader>>();
  readonly #positions = new Positions();
  /** Those that look at places at all, whatever they are kept under. */
  #boxedGroups = 0;
  /** How many readers it has. */
  size = 0;

  /** Takes a reader in; one that is in stays so, and has the slot 0, others -1. */
  add(reader: Reader): void {
    const filter = reader.filter as Filter;
    let group = this.#groups.get(filter.key);
    if (!group) {
      group = { filter, readers: new Set() };
      this.#groups.set(filter.key, group);
      this.#addGroup(group);
    }
    if (group.readers.has(reader)) return;
    group.readers.add(reader);
    reader.slot = 0;
    this.size += 1;
  }

  /** Lets a reader go, if it is in. */
  remove(reader: Reader): void {
    const group = this.#groups.get((reader.filter as Filter).key);
    if (!group?.readers.delete(reader)) return;
    reader.slot = -1;
    this.size -= 1;
    if (group.readers.size > 0) return;
    this.#groups.delete(group.filter.key);
    this.#removeGroup(group);
  }

  /** Those that are in, also while others come and go. */
  *readers(): Iterable<Reader> {
    for (const { readers } of this.#groups.values()) yield* readers;
  }

  /**
   * Learns where the living entities are, where somebody asks for places and no commit said yet: until then more is sent,
   * not less. It may fail to without an error, and is then to be called again.
   *
   * @param snapshots - of the stream that the commits are of
   * @throws {@link StreamError} what reading the snapshot throws
   */
  async learnPositions(snapshots: SnapshotSource): Promise<void> {
    if (this.#boxedGroups > 0 && this.#positions.isIgnorant) await this.#positions.learn(snapshots);
  }

  /**
   * Whom a commit concerns, by filter. It is to be called once with each commit of the live stream, in order, whoever
   * reads: it is how positions are learned.
   */
  match(commit: EncodedCommit): readonly Match<Reader>[] {
    const were = this.#boxedGroups > 0 ? this.#positions.take(commit) : undefined;
    const choices = new Map<Group<Reader>, Choice>();
    const none = new Choice();
    for (const [member, subject] of commit.subjects.entries()) {
      const was: FormerPosition = were ? were[member] : 'nowhere';
      for (const group of this.#candidates(subject, was)) {
        const choice = choices.get(group) ?? none;
        if (choice.last === member || !matches(group.filter, subject, was)) continue;
        choices.set(group, choice.and(member));
      }
    }
    return [...choices].map(([{ filter, readers }, { members }]) => ({ filter, readers, chosen: members }));
  }

  #addGroup(group: Group<Reader>): void {
    const { entities, types, boxes } = group.filter;
    if (boxes.length > 0) this.#boxedGroups += 1;
    if (entities.size > 0) for (const entity of entities) addUnder(this.#byEntity, entity, group);
    else if (boxes.length > 0) {
      this.#boxed.add(group);
      this.#grid.add(group, boxes);
    } else {
      this.#typed.add(group);
      for (const type of types) addUnder(this.#byType, type, group);
    }
  }

  #removeGroup(group: Group<Reader>): void {
    const { entities, types, boxes } = group.filter;
    for (const entity of entities) removeUnder(this.#byEntity, entity, group);
    for (const type of types) removeUnder(this.#byType, type, group);
    if (this.#boxed.delete(group)) this.#grid.remove(group, boxes);
    this.#typed.delete(group);
    if (boxes.length === 0) return;
    this.#boxedGroups -= 1;
    // Places are followed only as long as somebody asks for one.
    if (this.#boxedGroups === 0) this.#positions.clear();
  }

  /** All whose filter a member matches, and some that it does not; one may come more than once. */
  *#candidates({ entity, kind, types, position }: FilterSubject, was: FormerPosition): Iterable<Group<Reader>> {
    yield* this.#byEntity.get(entity) ?? [];
    if (kind === 'delete') {
      yield* this.#boxed;
      yield* this.#typed;
      return;
    }
    for (const type of types) yield* this.#byType.get(type) ?? [];
    if (was === 'unknown') {
      yield* this.#boxed;
      return;
    }
    if (position) yield* this.#grid.near(position);
    if (was !== undefined && was !== 'nowhere') yield* this.#grid.near(was);
  }
}

function addUnder<Value>(index: Map<string, Set<Value>>, name: string, value: Value): void {
  const values = index.get(name);
  if (values) values.add(value);
  else index.set(name, new Set([value]));
}

function removeUnder<Value>(index: Map<string, Set<Value>>, name: string, value: Value): void {
  const values = index.get(name);
  values?.delete(value);
  if (values?.size === 0) index.delete(name);
}

/**
 * Some of a commit's members. Those that are chosen alike, one after the other from an empty one, are one object, so that
 * what is made of them is made once however many ask for it.
 */
class Choice {
  readonly #before: Choice | undefined;
  /** The member that was chosen last; -1 in that of none. */
  readonly last: number;
  readonly #next = new Map<number, Choice>();
  #members: readonly number[] | undefined;

  constructor(before?: Choice, last = -1) {
    this.#before = before;
    this.last = last;
  }

  /** This choice and a member after those in it. */
  and(member: number): Choice {
    let next = this.#next.get(member);
    if (!next) {
      next = new Choice(this, member);
      this.#next.set(member, next);
    }
    return next;
  }

  /** The members in order: the same array each time. */
  get members(): readonly number[] {
    if (!this.#members) {
      const members: number[] = [];
      for (let choice: Choice = this; choice.#before !== undefined; choice = choice.#before) members.push(choice.last);
      this.#members = members.reverse();
    }
    return this.#members;
  }
}

/** What is under way while a snapshot is read. */
interface Lesson {
  /** Entities that ended meanwhile: what the snapshot says of them is past. */
  readonly ended: Set<string>;
  /** What the snapshot said, as of a sequence number, until the commits have come that far. */
  snapshot: { readonly to: number; readonly positions: ReadonlyMap<string, FormerPosition> } | undefined;
}

/**
 * Where the entities of a stream are: what a move has to be compared with. Of those that no commit had it knows nothing
 * until it has learned a snapshot; it holds no more than an entry for each living entity.
 */
export class Positions {
  readonly #positions = new Map<string, FormerPosition>();
  #isWhole = false;
  #lesson: Lesson | undefined;
  /** What it has followed without a gap. */
  #run: { readonly after: number; readonly last: number } | undefined;

  /** How many entities it knows the place of. */
  get size(): number {
    return this.#positions.size;
  }

  /** Whether there are entities that it may not have heard of, and it is not about to. */
  get isIgnorant(): boolean {
    return !this.#isWhole && !this.#lesson;
  }

  /**
   * Moves on by a commit: to be called once with each, in order. Where commits are left out it forgets all.
   *
   * @returns where the entity of each member was before the commit, in the order of its subjects
   */
  take({ subjects, after, last }: EncodedCommit): readonly FormerPosition[] {
    if (this.#run && this.#run.last !== after) this.clear();
    this.#run = { after: this.#run?.after ?? after, last };
    this.#conclude(this.#run.after, after);
    return subjects.map(({ entity, kind, isOlder, position }) => {
      const was = this.#positions.get(entity) ?? (this.#isWhole ? 'nowhere' : 'unknown');
      if (kind === 'delete') {
        this.#positions.delete(entity);
        this.#lesson?.ended.add(entity);
      } else if (!isOlder) {
        this.#positions.set(entity, position ?? 'nowhere');
        this.#lesson?.ended.delete(entity);
      }
      return was;
    });
  }

  /**
   * Learns where the living entities are, from a snapshot of the stream that the commits are of; it knows with the first
   * commit that follows on the snapshot. Where that is older than what it has followed it stays ignorant, and may learn
   * anew.
   *
   * @throws {@link StreamError} what reading the snapshot throws
   */
  async learn(snapshots: SnapshotSource): Promise<void> {
    const lesson: Lesson = { ended: new Set(), snapshot: undefined };
    const began = this.#run?.last ?? 0;
    this.#lesson = lesson;
    try {
      const snapshot = await snapshots.after(0);
      // What ended after it and before the lesson would come back to life.
      if (snapshot.to < began) return;
      const positions = new Map<string, FormerPosition>();
      for (let index = 0; index < snapshot.length && this.#lesson === lesson; index += 1) {
        for (const { entity, position } of (await snapshot.part(index)).subjects) {
          positions.set(entity, position ?? 'nowhere');
        }
      }
      lesson.snapshot = { to: snapshot.to, positions };
    } finally {
      if (this.#lesson === lesson && !lesson.snapshot) this.#lesson = undefined;
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#positions.clear();
    this.#isWhole = false;
    this.#lesson = undefined;
    this.#run = undefined;
  }

  /**
   * Takes what the snapshot said for known where the commits go on from it.
   *
   * @param since - sequence number after which it has followed all commits
   * @param until - and up to which: a snapshot past it would make where an entity is pass for where it was
   */
  #conclude(since: number, until: number): void {
    const { ended, snapshot } = this.#lesson ?? {};
    if (!ended || !snapshot || snapshot.to > until) return;
    this.#lesson = undefined;
    if (snapshot.to < since) return;
    for (const [entity, position] of snapshot.positions) {
      if (!this.#positions.has(entity) && !ended.has(entity)) this.#positions.set(entity, position);
    }
    this.#isWhole = true;
  }
}

/** The level of the smallest cells: some 150 m across at the equator. */
const MAX_LEVEL = 18;

/** Rows of a column, in the number that stands for a cell. */
const ROWS = 2 ** MAX_LEVEL;

/** A cell: its level, and what stands for it among the cells of that level. */
type Cell = readonly [level: number, key: number];

/**
 * Values by boxes on a grid of degrees: for a position it names those whose boxes may have it in them.
 *
 * At each next level a cell is half as wide and half as high. A box is kept at the level whose cells are just not
 * smaller than it, and so in four cells at most, besides one for each pole that it reaches.
 */
export class BoxGrid<Value> {
  readonly #levels = new Map<number, Map<number, Set<Value>>>();

  /** Puts a value under boxes; again is no more than once. */
  add(value: Value, boxes: readonly Box[]): void {
    for (const [level, key] of cellsOf(boxes)) {
      const cells = at(this.#levels, level, () => new Map<number, Set<Value>>());
      at(cells, key, () => new Set<Value>()).add(value);
    }
  }

  /** Takes a value away from the boxes that it was put under. */
  remove(value: Value, boxes: readonly Box[]): void {
    for (const [level, key] of cellsOf(boxes)) {
      const cells = this.#levels.get(level);
      const values = cells?.get(key);
      if (!cells || !values) continue;
      values.delete(value);
      if (values.size === 0) cells.delete(key);
      if (cells.size === 0) this.#levels.delete(level);
    }
  }

  /** The values whose boxes have a position in them, and some whose boxes are near it; a value may come more than once. */
  *near(position: Position): Iterable<Value> {
    for (const [level, cells] of this.#levels) yield* cells.get(keyAt(level, position)) ?? [];
  }
}

function* cellsOf(boxes: readonly Box[]): Iterable<Cell> {
  for (const box of boxes) yield* cellsOfBox(box);
}

function* cellsOfBox({ west, south, east, north }: Box): Iterable<Cell> {
  const span = west <= east ? east - west : east - west + 360;
  const level = levelOf(Math.max(span, north - south));
  const first = column(level, west);
  const last = column(level, east) + (west <= east ? 0 : 2 ** level);
  for (let x = first; x <= last; x += 1) {
    for (let y = row(level, south); y <= row(level, north); y += 1) yield [level, keyOf(level, x, y)];
  }
  // A pole is looked for at one longitude only.
  for (const pole of [south, north]) {
    if (Math.abs(pole) === 90) yield [level, keyAt(level, { longitude: 0, latitude: pole })];
  }
}

function levelOf(degrees: number): number {
  let level = 0;
  while (level < MAX_LEVEL && 360 / 2 ** (level + 1) >= degrees) level += 1;
  return level;
}

function keyAt(level: number, { longitude, latitude }: Position): number {
  return keyOf(level, column(level, Math.abs(latitude) === 90 ? 0 : longitude), row(level, latitude));
}

// The column beyond the easternmost is the westernmost: the antimeridian is in that one, whichever its sign.
function keyOf(level: number, x: number, y: number): number {
  return (x % 2 ** level) * ROWS + y;
}

function column(level: number, longitude: number): number {
  return Math.floor(((longitude + 180) / 360) * 2 ** level);
}

function row(level: number, latitude: number): number {
  return Math.floor(((latitude + 90) / 360) * 2 ** level);
}

function at<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
