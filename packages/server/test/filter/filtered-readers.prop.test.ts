import { boxHas, type Filter, type FilterSubject, type Position, ReplayFilter } from '@ldes-live/rdf-stream';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { EncodedCommit } from '../../src/push/encoded-commits.ts';
import { FilterIndex } from '../../src/push/filter-index.ts';
import { at, entityOf, filterOf, packetOf, typeOf } from './packets.ts';

/** What the stream has done so far. */
class World {
  readonly packets: EncodedCommit[] = [];
  readonly living = new Map<string, FilterSubject>();

  get head(): number {
    return this.packets.at(-1)?.last ?? 0;
  }

  commit(subjects: readonly FilterSubject[]): EncodedCommit {
    const packet = packetOf(this.head, subjects);
    this.packets.push(packet);
    for (const subject of subjects) {
      if (subject.kind === 'upsert') this.living.set(subject.entity, subject);
      else this.living.delete(subject.entity);
    }
    return packet;
  }

  /** The newest version of what changed after a position; of the living only where that is the beginning. */
  state(after: number): EncodedCommit[] {
    const newest = new Map<string, FilterSubject>();
    for (const packet of this.packets) {
      for (const [index, subject] of packet.subjects.entries()) {
        if (packet.after + index < after) continue;
        newest.delete(subject.entity);
        newest.set(subject.entity, subject);
      }
    }
    const told = after === 0 ? [...this.living.values()] : [...newest.values()];
    return told.length === 0 ? [] : [packetOf(after, told)];
  }
}

/** Whether an entity belongs to what a filter asks for, as it is now. */
function isWanted({ entities, types, boxes }: Filter, { entity, types: its, position }: FilterSubject): boolean {
  return (
    (entities.size === 0 || entities.has(entity)) &&
    (types.size === 0 || its.some((type) => types.has(type))) &&
    (boxes.length === 0 || (position !== undefined && boxes.some((box) => boxHas(box, position))))
  );
}

/** A reader that keeps what it is sent, and does not know more. */
class Reader {
  readonly filter: Filter;
  readonly known = new Map<string, FilterSubject>();
  position = 0;
  isLive = false;

  constructor(filter: Filter) {
    this.filter = filter;
  }

  take(packet: EncodedCommit, chosen: readonly number[]): void {
    for (const index of chosen) {
      const subject = packet.subjects[index] as FilterSubject;
      if (subject.kind === 'upsert') this.known.set(subject.entity, subject);
      else this.known.delete(subject.entity);
    }
  }

  /** What it shows, of what it knows. */
  get shown(): Map<string, FilterSubject> {
    return new Map([...this.known].filter(([, subject]) => isWanted(this.filter, subject)));
  }
}

const ENTITIES = 6;
const PLACES: readonly (Position | undefined)[] = [undefined, at(0, 0), at(1, 1), at(1.5, 0), at(180, 5), at(-179, 5)];

// An entity keeps its types: what is narrowed by type is told of what has it.
const typesOf = (number: number) => [typeOf('Vehicle'), typeOf(number % 2 === 0 ? 'Bus' : 'Tram')];

const change = fc.record({
  number: fc.nat({ max: ENTITIES - 1 }),
  place: fc.option(fc.constantFrom(...PLACES), { freq: 6, nil: null }),
});

const commit = fc.uniqueArray(change, { minLength: 1, maxLength: 4, selector: ({ number }) => number });

const query = fc
  .record({
    entity: fc.subarray([0, 1, 2].map((number) => ['entity', entityOf(number)] as const)),
    type: fc.subarray(['Bus', 'Tram'].map((name) => ['type', typeOf(name)] as const)),
    bbox: fc.subarray(['0,0,1,1', '1,0,2,2', '179,0,-179,10'].map((box) => ['bbox', box] as const)),
  })
  .map(({ entity, type, bbox }) => [...entity, ...type, ...bbox])
  .filter((parameters) => parameters.length > 0);

const step = fc.oneof(
  { weight: 18, arbitrary: commit.map((changes) => ({ kind: 'commit' as const, changes })) },
  { weight: 3, arbitrary: fc.nat({ max: 3 }).map((which) => ({ kind: 'leave' as const, which })) },
  { weight: 3, arbitrary: fc.nat({ max: 3 }).map((which) => ({ kind: 'resume' as const, which })) },
  { weight: 3, arbitrary: fc.nat({ max: 3 }).map((which) => ({ kind: 'conflate' as const, which })) },
  { weight: 3, arbitrary: fc.nat({ max: 3 }).map((which) => ({ kind: 'fresh' as const, which })) },
  { weight: 4, arbitrary: fc.constant({ kind: 'learn' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'learned' as const }) },
  { weight: 1, arbitrary: commit.map((changes) => ({ kind: 'lost' as const, changes })) },
);

test('PUSH-24 PUSH-25 a reader who keeps what it is sent shows what the stream has of it, however it came by it', async () => {
  const met = new Floors({ learned: 250 });
  await check(
    fc.asyncProperty(
      fc.array(query, { minLength: 1, maxLength: 4 }),
      fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
      async (queries, steps) => {
        const world = new World();
        const index = new FilterIndex<Reader>();
        const readers = queries.map((each) => new Reader(filterOf(each)));
        const lessons: (() => void)[] = [];
        const subjectsOf = (changes: readonly { number: number; place: Position | undefined | null }[]) =>
          changes.flatMap(({ number, place }): FilterSubject[] => {
            const entity = entityOf(number);
            if (place === null) return world.living.has(entity) ? [{ entity, kind: 'delete', types: [] }] : [];
            return [{ entity, kind: 'upsert', types: typesOf(number), ...(place && { position: place }) }];
          });
        const catchUp = (reader: Reader, packets: readonly EncodedCommit[], replay: ReplayFilter) => {
          for (const packet of packets) reader.take(packet, replay.choose(packet.subjects));
          reader.position = world.head;
          reader.isLive = true;
          index.add(reader);
        };
        // From the beginning on, or nobody asks for positions for most of the time.
        for (const reader of readers) catchUp(reader, [], new ReplayFilter(reader.filter, { isWholeState: true }));
        for (const each of steps) {
          if (each.kind === 'commit' || each.kind === 'lost') {
            const subjects = subjectsOf(each.changes);
            if (subjects.length === 0) continue;
            const packet = world.commit(subjects);
            if (each.kind === 'lost') {
              // What the server gives up to send one after the other: all are behind then, and the index never sees it.
              for (const reader of readers) reader.isLive = false;
              for (const reader of readers) index.remove(reader);
              continue;
            }
            for (const { readers: concerned, chosen } of index.match(packet)) {
              expect(chosen).toEqual([...new Set(chosen)].sort());
              expect(chosen.length).toBeGreaterThan(0);
              for (const reader of concerned) reader.take(packet, chosen);
            }
            for (const reader of readers) if (reader.isLive) reader.position = packet.last;
          } else if (each.kind === 'learn') {
            // The state is of now, and is given later.
            const parts = world.state(0);
            const state = {
              after: 0,
              to: world.head,
              length: parts.length,
              part: async (at: number) => parts[at] as EncodedCommit,
            };
            void index.learnPositions({ after: () => new Promise((resolve) => lessons.push(() => resolve(state))) });
          } else if (each.kind === 'learned') {
            for (const teach of lessons.splice(0)) {
              met.count('learned');
              teach();
            }
            await new Promise((resolve) => setImmediate(resolve));
          } else {
            const reader = readers[each.which];
            if (!reader) continue;
            if (each.kind === 'leave') {
              index.remove(reader);
              reader.isLive = false;
            } else if (each.kind === 'fresh' && !reader.isLive) {
              reader.known.clear();
              catchUp(reader, world.state(0), new ReplayFilter(reader.filter, { isWholeState: true }));
            } else if (each.kind === 'resume' && !reader.isLive && reader.position > 0) {
              const missed = world.packets.filter(({ after }) => after >= reader.position);
              catchUp(reader, missed, new ReplayFilter(reader.filter, { limitRemembered: 2 }));
            } else if (each.kind === 'conflate' && !reader.isLive && reader.position > 0) {
              catchUp(reader, world.state(reader.position), new ReplayFilter(reader.filter));
            }
          }
          for (const reader of readers) {
            if (!reader.isLive) continue;
            const has = new Map([...world.living].filter(([, subject]) => isWanted(reader.filter, subject)));
            expect(reader.shown).toEqual(has);
          }
        }
      },
    ),
    { numRuns: 2000, met },
  );
});

test('PUSH-24 with positions learned, a place is told of nothing that never was there but ends', async () => {
  const moves = fc.array(commit, { minLength: 1, maxLength: 15 });
  await check(
    fc.asyncProperty(query, moves, moves, async (asked, before, changes) => {
      const world = new World();
      const reader = new Reader(filterOf(asked));
      const take = (each: (typeof changes)[number]) =>
        world.commit(
          each.map(({ number, place }) => ({
            entity: entityOf(number),
            kind: 'upsert' as const,
            types: typesOf(number),
            ...(place && { position: place }),
          })),
        );
      for (const each of before) take(each);
      const index = new FilterIndex<Reader>();
      index.add(reader);
      const parts = world.state(0);
      const state = {
        after: 0,
        to: world.head,
        length: parts.length,
        part: async (at: number) => parts[at] as EncodedCommit,
      };
      await index.learnPositions({ after: async () => state });
      const wantedBefore = (entity: string) => {
        const subject = world.living.get(entity);
        return subject !== undefined && isWanted(reader.filter, subject);
      };
      for (const each of changes) {
        const were = new Set([...world.living.keys()].filter(wantedBefore));
        const packet = take(each);
        const chosen = new Set(index.match(packet).flatMap((audience) => audience.chosen));
        for (const [member, subject] of packet.subjects.entries()) {
          expect(chosen.has(member)).toBe(were.has(subject.entity) || isWanted(reader.filter, subject));
        }
      }
    }),
  );
});
