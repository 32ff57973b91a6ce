import { expect, expectTypeOf, test } from 'vitest';
import { Listeners } from '../../src/reader/listeners.ts';

type Events = { readonly level: readonly [metres: number]; readonly dry: readonly [] };

test('MAL-73 calls the listeners of a type in order of registration until they are taken off', () => {
  const listeners = new Listeners<Events>();
  const heard: string[] = [];
  const offFirst = listeners.on('level', (metres) => heard.push(`first ${metres}`));
  listeners.on('level', (metres) => heard.push(`second ${metres}`));
  listeners.on('dry', () => heard.push('dry'));
  listeners.emit('level', 3);
  offFirst();
  offFirst();
  listeners.emit('level', 2);
  listeners.emit('dry');
  expect(heard).toEqual(['first 3', 'second 3', 'second 2', 'dry']);
});

test('MAL-73 a function registered twice is called twice, and each registration ends by itself', () => {
  const listeners = new Listeners<Events>();
  let calls = 0;
  const listener = () => {
    calls += 1;
  };
  const off = listeners.on('dry', listener);
  listeners.on('dry', listener);
  listeners.emit('dry');
  off();
  listeners.emit('dry');
  expect(calls).toBe(3);
});

test('MAL-73 a listener that throws stops neither the others nor the caller, and is reported', () => {
  const reported: unknown[] = [];
  const listeners = new Listeners<Events>((error) => reported.push(error));
  const heard: number[] = [];
  listeners.on('level', () => {
    throw new Error('a broken gauge');
  });
  listeners.on('level', (metres) => heard.push(metres));
  listeners.emit('level', 5);
  expect(heard).toEqual([5]);
  expect(reported).toEqual([new Error('a broken gauge')]);
});

test('listeners taken off or added by another listener count at once and from the next event on', () => {
  const listeners = new Listeners<Events>();
  const heard: string[] = [];
  const offs: (() => void)[] = [];
  listeners.on('dry', () => {
    heard.push('first');
    for (const off of offs.splice(0)) off();
    if (heard.length === 1) listeners.on('dry', () => heard.push('late'));
  });
  offs.push(listeners.on('dry', () => heard.push('removed')));
  listeners.emit('dry');
  expect(heard).toEqual(['first']);
  listeners.emit('dry');
  expect(heard).toEqual(['first', 'first', 'late']);
});

test('the arguments of a listener follow from the event', () => {
  const listeners = new Listeners<Events>();
  expectTypeOf(listeners.on<'level'>)
    .parameter(1)
    .parameter(0)
    .toEqualTypeOf<number>();
  expectTypeOf<Parameters<Parameters<typeof listeners.on<'dry'>>[1]>['length']>().toEqualTypeOf<0>();
  expectTypeOf(listeners.on).returns.toEqualTypeOf<() => void>();
  // @ts-expect-error no such event
  listeners.on('flood', () => {});
  // @ts-expect-error a level is a number
  listeners.emit('level', 'high');
});
