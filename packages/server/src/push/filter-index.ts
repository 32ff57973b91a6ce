/* Which readers of filtered streams a commit is for: those that it does not concern cost nothing, and those who ask for the
 * same are one.
 *   EncodedCommit -> subjects -> candidates by entity, box or type -> matches(filter, subject, where it was) -> Match
 *   { "readers": [Subscriber, …], "chosen": [0, 3] }      // of one filter: the members with those indices
 * What moves out of a box is sent too, so the index follows where entities are, as long as somebody asks for boxes. */
import {
  type Box,
  type Filter,
  type FilterSubject,
  matches,
  type Position,
  positionBefore,
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
  /** Those of them that ask for types too: a version of such a type may be the first that its readers are told of. */
  readonly #areasByType = new Map<string, Set<Group<Reader>>>();
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
      const before: Former = were?.[member] ?? 'nowhere';
      for (const group of this.#candidates(subject, before)) {
        const chosen = choices.get(group);
        if (chosen?.at(-1) === member) continue;
        const was = typeof before === 'string' ? before : positionBefore(group.filter, before);
        if (!matches(group.filter, subject, was)) continue;
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
    else {
      areas.push(...boxes.flatMap(bounds).map((bbox) => ({ ...bbox, group })));
      const byType = boxes.length > 0 ? this.#areasByType : this.#byType;
      for (const type of types) at(byType, type, newSet).add(group);
    }
    for (const area of areas) this.#areas.insert(area);
    return group;
  }

  #removeGroup(group: Group<Reader>): void {
    const { key, entities, types, boxes } = group.filter;
    this.#groups.delete(key);
    for (const entity of entities) removeUnder(this.#byEntity, entity, group);
    for (const type of types) for (const map of [this.#byType, this.#areasByType]) removeUnder(map, type, group);
    for (const area of group.areas) this.#areas.remove(area);
    this.#wide.delete(group);
    if (boxes.length === 0) return;
    this.#boxedGroups -= 1;
    // Places are followed only as long as somebody asks for one.
    if (this.#boxedGroups === 0) this.#positions.clear();
  }

  /** All whose filter a member matches, and some that it does not; one may come more than once. */
  *#candidates({ entity, kind, types, position }: FilterSubject, before: Former): Iterable<Group<Reader>> {
    yield* this.#byEntity.get(entity) ?? [];
    // Where it was is not known: it may have been in any box.
    if (kind === 'delete' || before === 'unknown') return yield* this.#wide;
    const former = before === 'nowhere' ? undefined : before;
    for (const type of types) {
      yield* this.#byType.get(type) ?? [];
      // Nor to those who were not told of the version before.
      if (former && !former.types.includes(type)) yield* this.#areasByType.get(type) ?? [];
    }
    for (const where of [position, former?.position]) {
      if (!where) continue;
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

/** The newest version of an entity before a member; `nowhere` where it did not live. */
type Former = FilterSubject | 'nowhere' | 'unknown';

/** What is under way while a snapshot is read. */
interface Lesson {
  /** Entities that ended meanwhile: what the snapshot says of them is past. */
  readonly ended: Set<string>;
  /** What the snapshot said, until the commits have come as far as it. */
  snapshot: { readonly to: number; readonly living: ReadonlyMap<string, FilterSubject> } | undefined;
}

/**
 * Where the entities of a stream are: what a move has to be compared with. Of those that no commit had it knows nothing
 * until it has learned a snapshot; it holds no more than an entry for each living entity.
 */
class Positions {
  readonly #living = new Map<string, FilterSubject>();
  #isWhole = false;
  #lesson: Lesson | undefined;
  /** What it has followed without a gap. */
  #run: { readonly after: number; readonly last: number } | undefined;

  /** Moves on by a commit, and gives where the entity of each member was before. Where commits are left out it forgets all. */
  take({ subjects, after, last }: EncodedCommit): readonly Former[] {
    if (this.#run && this.#run.last !== after) this.clear();
    this.#run = { after: this.#run?.after ?? after, last };
    this.#conclude(this.#run.after, after);
    return subjects.map((subject) => {
      const { entity, kind, isOlder } = subject;
      const before = this.#living.get(entity) ?? (this.#isWhole ? 'nowhere' : 'unknown');
      if (kind === 'delete') {
        this.#living.delete(entity);
        this.#lesson?.ended.add(entity);
      } else if (!isOlder) {
        this.#living.set(entity, subject);
        this.#lesson?.ended.delete(entity);
      }
      return before;
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
      const living = new Map<string, FilterSubject>();
      for (let index = 0; index < snapshot.length && this.#lesson === lesson; index += 1) {
        for (const subject of (await snapshot.part(index)).subjects) living.set(subject.entity, subject);
      }
      lesson.snapshot = { to: snapshot.to, living };
    } finally {
      if (this.#lesson === lesson && !lesson.snapshot) this.#lesson = undefined;
    }
  }

  clear(): void {
    this.#living.clear();
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
    for (const [entity, subject] of snapshot.living) {
      if (!this.#living.has(entity) && !ended.has(entity)) this.#living.set(entity, subject);
    }
    this.#isWhole = true;
  }
}
