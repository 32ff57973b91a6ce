import { expect, test, vi } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { fill, PREFIXES, SAMPLE } from './sample-world.ts';

test.each([comunica(), oxigraph()])('$name writes nothing to the console', async (engine) => {
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
  const store = await engine.open();
  fill(store, SAMPLE);
  const text = `${PREFIXES} SELECT ?v (COUNT(*) AS ?n) { ?v ?p ?o } GROUP BY ?v`;
  expect(await store.select({ text }, { limitRows: 100 })).not.toHaveLength(0);
  await expect(store.select({ text: 'SELEC' }, { limitRows: 100 })).rejects.toThrow();
  for (const spy of spies) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});
