import { expect, test } from 'vitest';
import { SourceNotices } from '../../src/query/source-notices.ts';

const source = (trouble?: string) => ({ url: 'http://localhost/s', cursor: undefined, trouble });
const untimed = (lines: string) => lines.replaceAll(/^\d\d:\d\d:\d\d {2}/gm, '');

test('QUERY-96 tells the trouble of a source once when it begins, and once when it is over', () => {
  const notices = new SourceNotices();
  expect(notices.look([source(), source()], 0)).toBe('');
  expect(untimed(notices.look([source('nobody\nanswers'), source()], 1000))).toBe(
    'http://localhost/s: nobody answers\n',
  );
  expect(notices.look([source('still not'), source()], 2000)).toBe('');
  expect(untimed(notices.look([source(), source()], 21_000))).toBe('http://localhost/s: back after 20.0 s\n');
  expect(notices.look([source(), source()], 22_000)).toBe('');
  expect(notices.look([source('again'), source()], 23_000)).not.toBe('');
});
