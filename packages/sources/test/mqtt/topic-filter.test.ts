import { describe, expect, test } from 'vitest';
import { isTopicFilter, matchesFilter } from '../../src/mqtt/topic-filter.ts';

describe('topic filters', () => {
  test.each(['a', 'a/b', '/', '+', '#', '+/b/#', 'a//b', '$SYS/#', '$share/group/a/+', 'é/ß', 'a'.repeat(65_535)])(
    '%.40s is one',
    (filter) => expect(isTopicFilter(filter)).toBe(true),
  );

  test.each([
    '',
    'a+',
    'a/#/b',
    '#a',
    'a\0b',
    '$share/group',
    '$share//a',
    '$share/g/',
    '$share/+/a',
    '\ud800',
    'a'.repeat(65_536),
  ])('%.40s is none', (filter) => expect(isTopicFilter(filter)).toBe(false));

  test.each([
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/', false],
    ['a/+', 'a/b', true],
    ['a/+', 'a', false],
    ['a/+', 'a/b/c', false],
    ['a/+/c', 'a//c', true],
    ['a/#', 'a', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'ab', false],
    ['#', 'a/b', true],
    ['#', '$SYS/uptime', false],
    ['+/uptime', '$SYS/uptime', false],
    ['$SYS/#', '$SYS/uptime', true],
    ['$share/group/a/+', 'a/b', true],
    ['$share/group/a/+', 'b/b', false],
  ])('%s and %s: %s', (filter, topic, expected) => expect(matchesFilter(filter, topic)).toBe(expected));
});
