import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { Change } from '../../src/follow/change.ts';
import { ConflatingBuffer } from '../../src/reader/conflating-buffer.ts';
import { change, gap } from './buffered-changes.ts';

/** What is to come true of the buffer, kept in the simplest way. */
interface Model {
  epoch: string;
  /** The sequence of the last change put. */
  head: number;
  /** Versions put since the last gap that were not taken nor left out, by entity, oldest entity first. */
  readonly waiting: Map<string, Change[]>;
  /** The gap that waits. */
  gap: { from: string; to: string } | undefined;
  /** Every change put, by epoch and sequence. */
  readonly log: Map<string, Change[]>;
  conflated: number;
}

const LIMIT = 3;

class Put implements fc.Command<Model, ConflatingBuffer> {
  readonly entity: string;
  readonly kind: 'upsert' | 'delete';

  constructor(entity: string, kind: 'upsert' | 'delete') {
    this.entity = entity;
    this.kind = kind;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, buffer: ConflatingBuffer): void {
    const next = change(model.head + 1, this.entity, this.kind, model.epoch);
    const versions = model.waiting.get(this.entity);
    const fits = versions !== undefined || model.waiting.size < LIMIT;
    expect(buffer.put(next)).toBe(fits);
    if (fits) {
      model.head += 1;
      model.log.get(model.epoch)?.push(next);
      if (versions) model.conflated += 1;
      model.waiting.set(this.entity, [...(versions ?? []), next]);
    }
    checkInvariants(model, buffer);
  }

  toString(): string {
    return `put(${this.kind} ${this.entity})`;
  }
}

class PutGap implements fc.Command<Model, ConflatingBuffer> {
  check(): boolean {
    return true;
  }

  run(model: Model, buffer: ConflatingBuffer): void {
    const from = `${model.epoch}-${model.head}`;
    model.epoch = `${model.epoch}x`;
    model.head = 0;
    expect(buffer.put(gap(from, `${model.epoch}-0`))).toBe(true);
    model.log.set(model.epoch, []);
    model.waiting.clear();
    model.gap = { from: model.gap?.from ?? from, to: `${model.epoch}-0` };
    checkInvariants(model, buffer);
  }

  toString(): string {
    return 'put(gap)';
  }
}

class Take implements fc.Command<Model, ConflatingBuffer> {
  check(): boolean {
    return true;
  }

  run(model: Model, buffer: ConflatingBuffer): void {
    const taken = buffer.take();
    if (model.gap) {
      expect(taken).toEqual(gap(model.gap.from, model.gap.to));
      model.gap = undefined;
    } else {
      const [first] = model.waiting;
      const versions = first?.[1] ?? [];
      expect(taken?.member).toBe(versions.at(-1)?.member);
      expect(taken?.kind).toBe(versions.at(-1)?.kind);
      if (taken && taken.kind !== 'gap') {
        expect(taken.conflated).toBe(versions.length - 1);
        model.waiting.delete(taken.member.entity);
        expectNothingLost(model, taken.cursor);
      }
    }
    checkInvariants(model, buffer);
  }

  toString(): string {
    return 'take()';
  }
}

function checkInvariants(model: Model, buffer: ConflatingBuffer): void {
  expect(buffer.size).toBe(model.waiting.size + (model.gap ? 1 : 0));
  expect(model.waiting.size).toBeLessThanOrEqual(LIMIT);
  expect(buffer.conflated).toBe(model.conflated);
  const resume = buffer.resumeCursor(`${model.epoch}-${model.head}`);
  if (model.gap) expect(resume).toBe(model.gap.from);
  else expectNothingLost(model, resume);
}

/** Every version that waits is brought again by who follows from the cursor. */
function expectNothingLost(model: Model, cursor: string): void {
  const [epoch = '', sequence] = cursor.split('-');
  expect(epoch).toBe(model.epoch);
  const again = model.log.get(epoch)?.slice(Number(sequence)) ?? [];
  for (const versions of model.waiting.values()) {
    for (const version of versions) expect(again.map(({ member }) => member)).toContain(version.member);
  }
  if (model.waiting.size === 0) expect(again).toEqual([]);
}

test('MAL-67 MAL-69 MAL-70 MAL-71 whatever is put and taken, it does as the simplest model does', () => {
  const commands = fc.commands(
    [
      fc
        .record({
          entity: fc.constantFrom('bus', 'tram', 'ferry', 'metro', 'bicycle'),
          kind: fc.constantFrom('upsert' as const, 'upsert' as const, 'delete' as const),
        })
        .map(({ entity, kind }) => new Put(entity, kind)),
      fc.constant(new Take()),
      fc.constant(new PutGap()),
    ],
    { maxCommands: 60 },
  );
  check(
    fc.property(commands, (list) => {
      fc.modelRun(
        () => ({
          model: {
            epoch: 'e',
            head: 0,
            waiting: new Map(),
            gap: undefined,
            log: new Map([['e', []]]),
            conflated: 0,
          } satisfies Model as Model,
          real: new ConflatingBuffer({ limitChanges: LIMIT }),
        }),
        list,
      );
    }),
    { numRuns: 1_000 },
  );
});

test('MAL-67 every entity ends with its last version, however slow the reader', () => {
  const entity = fc.constantFrom('bus', 'tram', 'ferry', 'metro');
  check(
    fc.property(fc.array(entity, { maxLength: 80 }), fc.integer({ min: 1, max: 9 }), (entities, every) => {
      const buffer = new ConflatingBuffer({ limitChanges: 2 });
      const last = new Map<string, number>();
      const delivered = new Map<string, number>();
      let versions = 0;
      const takeOne = () => {
        const taken = buffer.take();
        if (!taken || taken.kind === 'gap') return;
        expect(taken.member.sequence).toBeGreaterThan(delivered.get(taken.member.entity) ?? 0);
        delivered.set(taken.member.entity, taken.member.sequence);
        versions += 1 + taken.conflated;
      };
      for (const [index, name] of entities.entries()) {
        last.set(name, index + 1);
        while (!buffer.put(change(index + 1, name))) takeOne();
        if (index % every === 0) takeOne();
      }
      while (buffer.size > 0) takeOne();
      expect(delivered).toEqual(last);
      expect(versions).toBe(entities.length);
    }),
    { numRuns: 1_000 },
  );
});
