import { languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { oxigraph, oxigraphFrom } from '../../src/engines/oxigraph.ts';

const limits = { limitRows: 10 };

test('QUERY-21 without the package oxigraph, opening a store says what to install', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  const engine = oxigraphFrom(() => Promise.reject(missing));
  await expect(engine.open()).rejects.toMatchObject({ code: 'ERR_ENGINE_MISSING', details: { engine: 'oxigraph' } });
  const broken = oxigraphFrom(() => Promise.reject(new Error('no WebAssembly here')));
  await expect(broken.open()).rejects.toMatchObject({ code: 'ERR_QUERY_FAILED' });
});

test('QUERY-21 an engine is loaded when its first store is opened, and once for all', async () => {
  let loads = 0;
  const engine = oxigraphFrom(() => {
    loads += 1;
    return import('oxigraph');
  });
  expect(loads).toBe(0);
  await Promise.all([engine.open(), engine.open()]);
  await engine.open();
  expect(loads).toBe(1);
});

test('QUERY-27 Oxigraph answers numbers and times in their canonical form, and derived integers as integers', async () => {
  const store = await oxigraph().open();
  const given: [string, string][] = [
    ['01', xsd.integer],
    ['1.50', xsd.decimal],
    ['1.0E0', xsd.double],
    ['007', xsd.integer.replace('integer', 'int')],
    ['2026-11-21T00:00:00.120+00:00', xsd.dateTime],
    ['1', xsd.boolean],
  ];
  for (const [value, datatype] of given) {
    store.add(quad(namedNode('urn:s'), namedNode('urn:p'), literal(value, datatype)));
  }
  const rows = await store.select({ text: 'SELECT ?o { ?s ?p ?o }' }, limits);
  expect(rows.map(({ o }) => o?.value).sort()).toEqual(
    ['1', '1', '1.5', '2026-11-21T00:00:00.12Z', '7', 'true'].sort(),
  );
  expect([...store.match()].map(({ object }) => object.value).sort()).toEqual(given.map(([value]) => value).sort());
});

test('a quad that is no valid RDF is refused by Oxigraph, and leaves nothing behind', async () => {
  const store = await oxigraph().open();
  const bad = quad(namedNode('not an iri'), namedNode('urn:p'), languageLiteral('a', 'en'));
  expect(() => store.add(bad)).toThrow(expect.objectContaining({ code: 'ERR_QUERY_FAILED' }));
  expect(store.size).toBe(0);
  store.delete(bad);
  expect([...store.match()]).toEqual([]);
});
