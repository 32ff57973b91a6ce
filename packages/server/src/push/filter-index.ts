/* Which readers of filtered streams a commit is for: those that it does not concern cost nothing, and those who ask for the
 * same are one.
 *   EncodedCommit -> subjects -> candidates by entity, box or type -> matches(filter, subject, where it was) -> Match
 *   { "readers": [Subscriber, …], "chosen": [0, 3] }      // of one filter: the members with those indices
 * What moves out of a box is sent too, so the index follows where entities are, as long as somebody asks for boxes. */
import {
  type Box,
  type Filter,
  type FilterSubject,
  type FormerPosition,
  matches,
  type Position,
} from '@ldes-live/rdf-stream';
import RBush, { type BBox } from 'rbush';
import type { EncodedCommit } from './encoded-commits.ts';
import type { SnapshotSource } from './snapshots.ts';

/** The readers of one filter, and what a commit has for them. */
interface Match<Reader> {
  /** As of now: it changes as readers come and go. */
  readonly readers: ReadonlySet<Reader>;
  /** Which of the commit's members are for them, at least one, in order; equal choices of a commit are the same array. */
  readonly chosen: readonly number[];
}

interface Group<Reader> {
  readonly filter: Filter;
  readonly readers: Set<Reader>;
  /** Its boxes on the map, if it is found by these. */
  readonly areas: readonly Area<Reader>[];
}

interface Area<Reader> extends BBox {
  readonly group: Group<Reader>;
}

/** Readers by what their filters ask for: each group under the one kind that leaves most out, entities, else boxes, else types. */
export class FilterIndex<Reader extends { readonly filter?: Filter | undefined; slot?: number }> {
  readonly #groups = new Map<string, Group<Reader>>();
  readonly #byEntity = new Map<string, Set<Group<Reader>>>();
  readonly #byType = new Map<string, Set<Group<Reader>>>();
  readonly #areas = new RBush<Area<Reader>>();
  /** Those that are kept under boxes or types: an entity that ends may have been of any. */
  readonly #wide = new Set<Group<Reader>>();
  readonly #positions = new Positions();
  /** Those that look at places at all, whatever they are kept under. */
  #boxedGroups = 0;
  /** How many readers it has. */
  size = 0;

  /** Takes a reader in; one that is in stays so, and has the slot 0, others -1. */
  add(reader: Reader): void {
    const filter = reader.filter as Filter;
    const group = this.#groups.get(filter.key) ?? this.#addGroup(filter);
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
    if (group.readers.size === 0) this.#removeGroup(group);
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
    if (this.#boxedGroups > 0) await this.#positions.learn(snapshots);
  }

  /**
   * Whom a commit concerns, by filter. It is to be called once with each commit of the live stream, in order, whoever
   * reads: it is how positions are learned.
   */
  match(commit: EncodedCommit): readonly Match<Reader>[] {
    const were = this.#boxedGroups > 0 ? this.#positions.take(commit) : undefined;
    const choices = new Map<Group<Reader>, number[]>();
    for (const [member, subject] of commit.subjects.entries()) {
      const was: FormerPosition = were ? were[member] : 'nowhere';
      for (const group of this.#candidates(subject, was)) {
        const chosen = choices.get(group);
        if (chosen?.at(-1) === member || !matches(group.filter, subject, was)) continue;
        if (chosen) chosen.push(member);
        else choices.set(group, [member]);
      }
    }
    // What is made of a choice is made once, however many filters choose the same.
    const distinct = new Map<string, number[]>();
    return [...choices].map(([{ readers }, members]) => ({
      readers,
      chosen: at(distinct, members.join(), () => members),
    }));
  }

  #addGroup(filter: Filter): Group<Reader> {
    const { entities, types, boxes } = filter;
    const areas: Area<Reader>[] = [];
    const group = { filter, readers: new Set<Reader>(), areas };
    this.#groups.set(filter.key, group);
    if (boxes.length > 0) this.#boxedGroups += 1;
    if (entities.size === 0) this.#wide.add(group);
    if (entities.size > 0) for (const entity of entities) at(this.#byEntity, entity, newSet).add(group);
    else if (boxes.length > 0) areas.push(...boxes.flatMap(bounds).map((bbox) => ({ ...bbox, group })));
    else for (const type of types) at(this.#byType, type, newSet).add(group);
    for (const area of areas) this.#areas.insert(area);
    return group;
  }

  #removeGroup(group: Group<Reader>): void {
    const { key, entities, types, boxes } = group.filter;
    this.#groups.delete(key);
    for (const entity of entities) removeUnder(this.#byEntity, entity, group);
    for (const type of types) removeUnder(this.#byType, type, group);
    for (const area of group.areas) this.#areas.remove(area);
    this.#wide.delete(group);
    if (boxes.length === 0) return;
    this.#boxedGroups -= 1;
    // Places are followed only as long as somebody asks for one.
    if (this.#boxedGroups === 0) this.#positions.clear();
  }

  /** All whose filter a member matches, and some that it does not; one may come more than once. */
  *#candidates({ entity, kind, types, position }: FilterSubject, was: FormerPosition): Iterable<Group<Reader>> {
    yield* this.#byEntity.get(entity) ?? [];
    // Where it was is not known: it may have been in any box.
    if (kind === 'delete' || was === 'unknown') return yield* this.#wide;
    for (const type of types) yield* this.#byType.get(type) ?? [];
    for (const where of [position, was]) {
      if (where === undefined || where === 'nowhere') continue;
      for (const { group } of this.#areas.search(around(where))) yield group;
    }
  }
}

/** A box as the map has it: in two where it is across the antimeridian. */
function bounds({ west, south: minY, east, north: maxY }: Box): BBox[] {
  if (west <= east) return [{ minX: west, minY, maxX: east, maxY }];
  return [
    { minX: west, minY, maxX: 180, maxY },
    { minX: -180, minY, maxX: east, maxY },
  ];
}

/** Where boxes with a position may be: a pole has every longitude, and the antimeridian two signs. */
function around({ longitude, latitude }: Position): BBox {
  const isEdge = Math.abs(latitude) === 90 || Math.abs(longitude) === 180;
  const [minX, maxX] = isEdge ? [-180, 180] : [longitude, longitude];
  return { minX, minY: latitude, maxX, maxY: latitude };
}

function newSet<Value>(): Set<Value> {
  return new Set();
}

function at<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function removeUnder<Value>(index: Map<string, Set<Value>>, name: string, value: Value): void {
  const values = index.get(name);
  values?.delete(value);
  if (values?.size === 0) index.delete(name);
}

/** What is under way while a snapshot is read. */
interface Lesson {
  /** Entities that ended meanwhile: what the snapshot says of them is past. */
  readonly ended: Set<string>;
  /** What the snapshot said, until the commits have come as far as it. */
  snapshot: { readonly to: number; readonly positions: ReadonlyMap<string, FormerPosition> } | undefined;
}

/**
 * Where the entities of a stream are: what a move has to be compared with. Of those that no commit had it knows nothing
 * until it has learned a snapshot; it holds no more than an entry for each living entity.
 */
class Positions {
  readonly #positions = new Map<string, FormerPosition>();
  #isWhole = false;
  #lesson: Lesson | undefined;
  /** What it has followed without a gap. */
  #run: { readonly after: number; readonly last: number } | undefined;

  /** Moves on by a commit, and gives where the entity of each member was before. Where commits are left out it forgets all. */
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
   * Reads a snapshot, for the first commit that follows on it, unless all are known or about to be. Where it is older than
   * what was followed, nothing is learned.
   */
  async learn(snapshots: SnapshotSource): Promise<void> {
    if (this.#isWhole || this.#lesson) return;
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

  clear(): void {
    this.#positions.clear();
    this.#isWhole = false;
    this.#lesson = undefined;
    this.#run = undefined;
  }

  /** @param since - sequence number after which it has followed all commits up to `until` */
  #conclude(since: number, until: number): void {
    const { ended, snapshot } = this.#lesson ?? {};
    // One past the commits would make where an entity is pass for where it was.
    if (!ended || !snapshot || snapshot.to > until) return;
    this.#lesson = undefined;
    if (snapshot.to < since) return;
    for (const [entity, position] of snapshot.positions) {
      if (!this.#positions.has(entity) && !ended.has(entity)) this.#positions.set(entity, position);
    }
    this.#isWhole = true;
  }
}
