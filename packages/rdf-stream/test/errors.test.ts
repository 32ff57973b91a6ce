import { expect, test } from 'vitest';
import { formatDuration, nearestKey } from '../src/errors.ts';
import { defineErrors, isStreamError, StreamError } from '../src/index.ts';

const errors = defineErrors({
  ERR_PORT_BUSY: ({ port }: { port: number }) => `Port ${port} is in use: choose another by --port.`,
});

test('an error has its code, its values, its remedy and its cause', () => {
  const cause = new Error('EADDRINUSE');
  const error = errors.ERR_PORT_BUSY({ port: 3000 }, cause);
  expect(error).toBeInstanceOf(StreamError);
  expect(error).toMatchObject({ code: 'ERR_PORT_BUSY', details: { port: 3000 }, cause, name: 'StreamError' });
  expect(error.message).toBe('Port 3000 is in use: choose another by --port.');
  expect(errors.ERR_PORT_BUSY({ port: 1 })).not.toHaveProperty('cause');
  expect([250, 2500, 600_000, 86_400_000].map(formatDuration)).toEqual(['250 ms', '2.5 s', '10 min', '24 h']);
});

test('an error says no long text again, which whoever sends something may have chosen', () => {
  const { ERR_WORD } = defineErrors({ ERR_WORD: ({ word }: { word: string }) => `${word} is no word.` });
  for (const long of ['x'.repeat(10_001), `${'x'.repeat(9_999)}\u{1f600}`, 'x'.repeat(16_000_000)]) {
    const { details, message } = ERR_WORD({ word: long });
    expect(message.length).toBeLessThan(10_100);
    expect(message).toMatch(/^x+\ufffd?… is no word\.$/);
    expect(details).toEqual({ word: message.slice(0, message.indexOf(' ')) });
  }
  expect(ERR_WORD({ word: 'x'.repeat(10_000) }).details).toEqual({ word: 'x'.repeat(10_000) });
});

test('an error is recognised by its brand and code, in any copy of the package', () => {
  const error = errors.ERR_PORT_BUSY({ port: 3000 });
  expect(isStreamError(error)).toBe(true);
  expect(isStreamError(error, 'ERR_PORT_BUSY')).toBe(true);
  expect(isStreamError(error, 'ERR_OTHER')).toBe(false);
  const foreign = { [Symbol.for('@ldes-live/stream-error')]: true, code: 'ERR_PORT_BUSY' };
  expect(isStreamError(foreign, 'ERR_PORT_BUSY')).toBe(true);
  for (const value of [undefined, null, 'ERR_PORT_BUSY', new Error('ERR_PORT_BUSY'), {}]) {
    expect(isStreamError(value)).toBe(false);
  }
});

test.each([
  ['publicUrl', 'publicURL publicUri public_url'],
  ['streams', 'stream'],
  ['store', 'Store'],
  [undefined, 'retention url'],
])('the key that was meant is %s, the nearest one, or none: of %s', (meant, keys) => {
  for (const key of keys.split(' '))
    expect([key, nearestKey(key, ['publicUrl', 'store', 'streams'])]).toEqual([key, meant]);
  expect(nearestKey('', ['publicUrl', 'store', 'streams'])).toBeUndefined();
});
