import { expect, test } from 'vitest';
import { FULL_MAP_BYTES, isOutgrown, mapSize } from '../src/map-size.ts';
import { mappedBytes, mappedBytesOf } from '../src/mapped-bytes.ts';

const MIB = 1024 ** 2;

test('ING-57 a map is of 64 GiB where twice that is left, and else of half of what is left, in whole MiB', () => {
  expect(mapSize(undefined, 10 ** 12)).toEqual({ mapBytes: 64 * 1024 * MIB });
  expect(mapSize(2 * FULL_MAP_BYTES, 0)).toEqual({ mapBytes: FULL_MAP_BYTES });
  expect(mapSize(2 * FULL_MAP_BYTES - 1, 0)).toEqual({ mapBytes: FULL_MAP_BYTES - MIB });
  expect(mapSize(10 ** 15, 0)).toEqual({ mapBytes: FULL_MAP_BYTES });
});

test('ING-57 a file and 64 MiB more have to fit into the map', () => {
  expect(mapSize(2 * 74 * MIB, 10 * MIB)).toEqual({ mapBytes: 74 * MIB });
  expect(mapSize(2 * 74 * MIB - 1, 10 * MIB).problem).toContain('`ulimit -v` limits: raise that by 1 MiB');
  expect(mapSize(2 * 74 * MIB, 10 * MIB + 1).problem).toContain('raise that by 2 MiB');
  expect(mapSize(0, 0).problem).toContain('raise that by 128 MiB');
});

test('ING-57 a file has outgrown a map that has no 64 MiB left, except the largest, which grows by itself', () => {
  expect(isOutgrown(74 * MIB, () => 10 * MIB)).toBe(false);
  expect(isOutgrown(74 * MIB, () => 10 * MIB + 1)).toBe(true);
  expect(isOutgrown(FULL_MAP_BYTES, () => 2 * FULL_MAP_BYTES)).toBe(false);
});

test('ING-55 what is resident of mapped files has the program at least, where the system tells', () => {
  const bytes = mappedBytes();
  if (process.platform !== 'linux') {
    expect(bytes).toBeUndefined();
    return;
  }
  expect(bytes).toBeGreaterThan(1024 * 1024);
  expect(bytes).toBeLessThan(process.memoryUsage().rss + 64 * 1024 * 1024);
});

test('ING-55 files in memory, as those of tmpfs are, count as others do', () => {
  expect(mappedBytesOf('RssAnon:\t  90 kB\nRssFile:\t  20 kB\nRssShmem:\t   3 kB\nVmData: 1 kB\n')).toBe(23 * 1024);
  expect(mappedBytesOf('RssFile:\t  20 kB\n')).toBe(20 * 1024);
  expect(mappedBytesOf('Name: other\n')).toBeUndefined();
});
