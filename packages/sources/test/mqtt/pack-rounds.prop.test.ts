import type { Draft } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { packRounds } from '../../src/mqtt/pack-rounds.ts';

interface Item {
  readonly draft: Draft;
  readonly place: number;
}

const said = fc.record({
  entity: fc.constantFrom('a', 'b', 'c', 'd'),
  id: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  isEnd: fc.boolean(),
});

const messages = fc.array(fc.array(said, { maxLength: 3 }), { maxLength: 12 }).map((lists) => {
  let place = 0;
  return lists.map((list) =>
    list.map(({ entity, id, isEnd }): Item => {
      place += 1;
      const draft: Draft = isEnd
        ? { kind: 'delete', entity, origin: 'o' }
        : { kind: 'upsert', entity, origin: 'o', quads: [], fingerprint: 'f', ...(id === undefined ? {} : { id }) };
      return { draft, place };
    }),
  );
});

const idOf = ({ draft }: Item) => (draft.kind === 'upsert' ? draft.id : undefined);

test('MQTT-6 rounds hold everything once, an entity and a version at most once each, in the order of messages', () => {
  check(
    fc.property(messages, (lists) => {
      const { rounds, roundsUntilStored } = packRounds(lists);
      const all = rounds.flat();
      expect(all.map(({ place }) => place).sort((left, right) => left - right)).toEqual(
        lists.flat().map(({ place }) => place),
      );
      for (const round of rounds) {
        expect(round.length).toBeGreaterThan(0);
        const entities = round.map(({ draft }) => draft.entity);
        const ids = round.flatMap((item) => idOf(item) ?? []);
        expect(new Set(entities).size).toBe(entities.length);
        expect(new Set(ids).size).toBe(ids.length);
      }
      for (const entity of ['a', 'b', 'c', 'd']) {
        const places = all.filter(({ draft }) => draft.entity === entity).map(({ place }) => place);
        expect(places).toEqual(places.toSorted((left, right) => left - right));
      }
      lists.forEach((list, index) => {
        const last = Math.max(0, ...list.map((item) => rounds.findIndex((round) => round.includes(item)) + 1));
        expect(roundsUntilStored[index]).toBe(last);
      });
    }),
  );
});

test('MQTT-6 as many versions of each of many entities as come take as many rounds, not more', () => {
  const item = (entity: string): Item => ({ draft: { kind: 'delete', entity, origin: 'o' }, place: 0 });
  const lists = [0, 1, 2].flatMap(() => Array.from({ length: 50 }, (_, index) => [item(`e${index}`)]));
  expect(packRounds(lists).rounds.map(({ length }) => length)).toEqual([50, 50, 50]);
});
