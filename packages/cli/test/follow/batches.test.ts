import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batches } from '../../src/follow/follow.ts';

async function collected<Item>(items: AsyncIterable<Item>, limit?: number): Promise<(readonly Item[])[]> {
  const all: (readonly Item[])[] = [];
  for await (const batch of batches(items, () => ({}), limit)) all.push(batch.items);
  return all;
}

test('what is there without waiting is one batch', async () => {
  const items = (async function* () {
    yield* [1, 2, 3];
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    yield* [4, 5];
  })();
  expect(await collected(items)).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('a failure comes after what came before it, also while the batch is being worked on', async () => {
  const items = (async function* () {
    yield 1;
    throw new Error('broken');
  })();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const batch of batches(items, () => ({}))) {
      seen.push(...batch.items);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
  })();
  await expect(reading).rejects.toThrow('broken');
  expect(seen).toEqual([1]);
});

test('whoever stops reading ends the iteration below', async () => {
  let isEnded = false;
  const items = (async function* () {
    try {
      for (let item = 0; ; item++) yield item;
    } finally {
      isEnded = true;
    }
  })();
  for await (const batch of batches(items, () => ({}), 2)) {
    expect(batch.items).toEqual([0, 1]);
    break;
  }
  expect(isEnded).toBe(true);
});

test.each([1, 2, 3, 100])(
  'in batches of %i, a mark is of what had been delivered with its batch, and no more',
  async (limit) => {
    let delivered = 0;
    const items = (async function* () {
      for (let item = 1; item <= 10; item++) {
        if (item % 4 === 0) for (let turn = 0; turn < 3; turn++) await nextTurn();
        delivered = item;
        yield item;
      }
    })();
    for await (const { items: batch, mark } of batches(items, () => ({ delivered }), limit)) {
      expect(mark.delivered).toBe(batch.at(-1));
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
    expect(delivered).toBe(10);
  },
);
