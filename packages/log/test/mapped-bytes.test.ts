import { expect, test } from 'vitest';
import { mappedBytes, mappedBytesOf } from '../src/mapped-bytes.ts';

test.runIf(process.platform === 'linux')('ING-55 what is resident of mapped files has the program at least', () => {
  expect(mappedBytes()).toBeGreaterThan(1024 * 1024);
  expect(mappedBytes()).toBeLessThan(process.memoryUsage().rss + 64 * 1024 * 1024);
});

test.runIf(process.platform !== 'linux')('ING-55 it is unknown where the system does not tell', () => {
  expect(mappedBytes()).toBeUndefined();
});

test('ING-55 files in memory, as those of tmpfs are, count as others do', () => {
  expect(mappedBytesOf('RssAnon:\t  90 kB\nRssFile:\t  20 kB\nRssShmem:\t   3 kB\nVmData: 1 kB\n')).toBe(23 * 1024);
  expect(mappedBytesOf('RssFile:\t  20 kB\n')).toBe(20 * 1024);
  expect(mappedBytesOf('Name: other\n')).toBeUndefined();
});
