import { expect, test } from 'vitest';
import { defaultEngine } from '../../src/engines/default-engine.ts';

test('the default engine is Comunica, one for all', async () => {
  expect(defaultEngine()).toBe(defaultEngine());
  expect(defaultEngine().name).toBe('comunica');
  const store = await defaultEngine().open();
  expect(await store.ask({ text: 'ASK {}' }, { limitRows: 1 })).toBe(true);
});
