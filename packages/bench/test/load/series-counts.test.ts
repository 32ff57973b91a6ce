import { expect, test } from 'vitest';
import { SeriesCounts } from '../../src/load/series-counts.ts';

const series = { startMicros: 1000, intervalMicros: 10, count: 3 };
const stampOf = (index: number) => series.startMicros + index * series.intervalMicros;

function counted(deliveries: readonly (readonly [reader: number, index: number])[]) {
  const counts = new SeriesCounts(2, series);
  for (const [reader, index] of deliveries) counts.note(reader, stampOf(index));
  return counts.tally();
}

const ALL = [0, 1].flatMap((reader) => [0, 1, 2].map((index) => [reader, index] as const));

test('what comes once to each reader is neither lost nor doubled, in whatever order', () => {
  expect(counted(ALL)).toEqual({ lost: 0, doubled: 0 });
  expect(counted(ALL.toReversed())).toEqual({ lost: 0, doubled: 0 });
});

test('an update that one reader gets twice does not stand for one that another never gets', () => {
  const oneLost = ALL.filter(([reader, index]) => !(reader === 1 && index === 2));
  expect(counted([...oneLost, [0, 1]])).toEqual({ lost: 1, doubled: 1 });
  expect(counted([...ALL, [0, 0], [0, 0]])).toEqual({ lost: 0, doubled: 2 });
});

test('updates of other series are none of this one', () => {
  expect(counted([...ALL, [0, -1], [0, 3], [0, 0.5]])).toEqual({ lost: 0, doubled: 0 });
});
