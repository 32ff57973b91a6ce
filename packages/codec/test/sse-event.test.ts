import { expect, test } from 'vitest';
import { formatSseComment, formatSseEvent, formatSseRetry } from '../src/index.ts';

test('an event is its fields and a blank line', () => {
  expect(formatSseEvent({ event: 'update', id: 'abc-1', data: '{}' })).toBe('event: update\nid: abc-1\ndata: {}\n\n');
  expect(formatSseEvent({ data: '' })).toBe('data: \n\n');
});

test('each line of data, however it ends, is a data line', () => {
  expect(formatSseEvent({ data: 'a\nb\rc\r\nd\n' })).toBe('data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n');
});

test.each(['\r', '\n', '\0'])('an event type or id with %j is refused', (character) => {
  for (const field of ['event', 'id']) {
    expect(() => formatSseEvent({ [field]: `a${character}data: forged`, data: '' })).toThrow(
      expect.objectContaining({ code: 'ERR_SSE_FIELD_INVALID', details: expect.objectContaining({ field }) }),
    );
  }
});

test('a comment cannot become an event', () => {
  expect(formatSseComment('')).toBe(': \n\n');
  expect(formatSseComment('a\n\ndata: forged')).toBe(': a\n: \n: data: forged\n\n');
});

test('the delay is whole milliseconds', () => {
  expect(formatSseRetry(0)).toBe('retry: 0\n\n');
  expect(formatSseRetry(2500)).toBe('retry: 2500\n\n');
  for (const delay of [-1, 0.5, Number.NaN, 1e21]) {
    expect(() => formatSseRetry(delay)).toThrow(expect.objectContaining({ code: 'ERR_SSE_FIELD_INVALID' }));
  }
});
