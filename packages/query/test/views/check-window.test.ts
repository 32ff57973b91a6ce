import { expect, test } from 'vitest';
import type { ViewOptions } from '../../src/view-options.ts';
import { checkWindow, LONGEST_SECONDS } from '../../src/views/check-window.ts';

const time = (options: object) => ({ type: 'time', range: 60, ...options });

test.each<object>([
  { type: 'latest' },
  { type: 'all' },
  { type: 'count', members: 1 },
  time({}),
  time({ range: 0.001, step: 0.001, allowedLateness: 0, originMs: -8.64e15, time: 'published' }),
  time({ range: LONGEST_SECONDS, step: LONGEST_SECONDS, allowedLateness: LONGEST_SECONDS, time: 'version' }),
])('QUERY-42 %j can be asked over', (options) => {
  expect(() => checkWindow(options as ViewOptions)).not.toThrow();
});

test.each<[string, unknown]>([
  ['window', undefined],
  ['window', null],
  ['window', '60s'],
  ['window.type', {}],
  ['window.type', { type: 'newest' }],
  ['window.members', { type: 'count', members: 0 }],
  ['window.members', { type: 'count', members: 1.5 }],
  ['window.members', { type: 'count', members: Number.POSITIVE_INFINITY }],
  ['window.members', { type: 'count' }],
  ['window.range', { type: 'time' }],
  ['window.range', time({ range: 0 })],
  ['window.range', time({ range: 0.0009 })],
  ['window.range', time({ range: Number.NaN })],
  ['window.range', time({ range: LONGEST_SECONDS + 1 })],
  ['window.range', time({ range: '60' })],
  ['window.step', time({ step: 0 })],
  ['window.step', time({ step: -1 })],
  ['window.step', time({ step: 0.0009 })],
  ['window.step', time({ step: Number.POSITIVE_INFINITY })],
  ['window.step', time({ step: null })],
  ['window.time', time({ time: 'sample' })],
  ['window.allowedLateness', time({ allowedLateness: -0.001 })],
  ['window.allowedLateness', time({ allowedLateness: LONGEST_SECONDS + 1 })],
  ['window.originMs', time({ originMs: 0.5 })],
  ['window.originMs', time({ originMs: 8.64e15 + 1 })],
])('QUERY-42 %s is refused of %j', (name, options) => {
  expect(() => checkWindow(options as ViewOptions)).toThrow(
    expect.objectContaining({ code: 'ERR_QUERY_OPTION', details: expect.objectContaining({ name }) }),
  );
});
