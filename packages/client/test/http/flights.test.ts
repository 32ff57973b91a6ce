import { expect, test } from 'vitest';
import { Flights } from '../../src/http/flights.ts';

/** Work that ends when it is told to. */
function work() {
  const begun: { readonly signal: AbortSignal; end(result: string): void; fail(error: Error): void }[] = [];
  const begin = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      begun.push({ signal, end: resolve, fail: reject });
    });
  return { begun, begin };
}

const never = new AbortController().signal;

test('MAL-45 who asks for the same while it is under way gets the same result, and later asks anew', async () => {
  const flights = new Flights<string>();
  const { begun, begin } = work();
  const both = [flights.share('a', never, begin), flights.share('a', never, begin)];
  const other = flights.share('b', never, begin);
  expect(begun).toHaveLength(2);
  begun[0]?.end('one');
  begun[1]?.end('two');
  expect(await Promise.all([...both, other])).toEqual(['one', 'one', 'two']);
  const again = flights.share('a', never, begin);
  expect(begun).toHaveLength(3);
  begun[2]?.end('three');
  expect(await again).toBe('three');
});

test('a failure is everybody’s, and is not kept', async () => {
  const flights = new Flights<string>();
  const { begun, begin } = work();
  const both = [flights.share('a', never, begin), flights.share('a', never, begin)];
  begun[0]?.fail(new Error('no'));
  for (const result of await Promise.allSettled(both)) expect(result.status).toBe('rejected');
  void flights.share('a', never, begin);
  expect(begun).toHaveLength(2);
});

test('the work is stopped when nobody who asked for it is left, and not before', async () => {
  const flights = new Flights<string>();
  const { begun, begin } = work();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = flights.share('a', one.signal, begin);
  const second = flights.share('a', two.signal, begin);
  one.abort('left');
  await expect(first).rejects.toBe('left');
  expect(begun[0]?.signal.aborted).toBe(false);
  two.abort('left too');
  await expect(second).rejects.toBe('left too');
  expect(begun[0]?.signal.aborted).toBe(true);
});
