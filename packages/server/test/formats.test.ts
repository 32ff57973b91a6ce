import { type Format, formats } from '@ldes-live/codec';
import { expect, test } from 'vitest';
import { expectSameTriples, published, varied } from './published.ts';
import { EPOCH, entityOf, remove, testServer } from './test-server.ts';

const DOCUMENTS = [
  '/vehicles',
  '/vehicles/latest',
  `/vehicles/pages/${EPOCH}/range-0`,
  `/vehicles/pages/${EPOCH}/0`,
  `/vehicles/pages/${EPOCH}/1`,
  `/vehicles/pages/${EPOCH}/after-7`,
  new URL(entityOf(7)).pathname,
];

test.each(DOCUMENTS)('DOC-7 %s has the same triples in the five formats', async (path) => {
  const server = await testServer();
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs + 5000 };
  for (let from = 0; from < 260; from += 130) {
    await server.log.append(Array.from({ length: 130 }, (_, index) => varied(index)));
  }
  await server.log.append([remove(1)]);
  await expectSameTriples(server, path);
});

test('DOC-7 what formats may lose is there to be lost', async () => {
  const server = await testServer();
  await server.log.append([varied(1)]);
  const quads = await published(server, '/vehicles/latest', 'turtle');
  const literals = quads.flatMap(({ object }) => (object.termType === 'Literal' ? [object] : []));
  expect(literals.some(({ language }) => language.toLowerCase() === 'es-mx')).toBe(true);
  expect(literals.map(({ value }) => value)).toContain('05.50');
  expect(quads.some(({ object }) => object.termType === 'BlankNode')).toBe(true);
});

const ACCEPTED: [accept: string, format: Format][] = [
  ['', 'jsonld'],
  ['*/*', 'jsonld'],
  ['application/*', 'jsonld'],
  ['text/*', 'turtle'],
  ['Text/TURTLE', 'turtle'],
  ['application/trig', 'trig'],
  ['application/n-quads', 'nquads'],
  ['application/n-triples', 'ntriples'],
  ['text/html, */*;q=0.1', 'jsonld'],
  ['*/*;q=0.1, application/n-quads', 'nquads'],
  ['application/ld+json;q=0.1, text/turtle;q=0.2, application/trig;q=0.9', 'trig'],
  ['application/ld+json;q=0.001, text/turtle;q=0.002', 'turtle'],
  ['text/*;q=0.5, application/*;q=0.4', 'turtle'],
  // The most specific of what names a type is what counts for it.
  ['application/ld+json;q=0, */*', 'turtle'],
  ['*/*;q=0, application/n-triples;q=0.1', 'ntriples'],
  ['text/*, text/turtle;q=0, application/trig;q=0.1', 'trig'],
  // Parameters other than the weight make no difference.
  ['text/turtle;charset=utf-8', 'turtle'],
  ['application/n-triples; charset=utf-8; q=0.5, application/n-quads; q=0.6', 'nquads'],
  ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"', 'jsonld'],
  ['application/ld+json;profile="a, b;q=0.1 \\" c", text/turtle;q=0.5', 'jsonld'],
  ['application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded";q=0.4, text/turtle;q=0.5', 'turtle'],
];

test.each(ACCEPTED)('DOC-7 "%s" gets %s', async (accept, format) => {
  const server = await testServer();
  const response = await server.get('/vehicles', { accept });
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe(formats[format].mediaType);
  expect(response.headers.vary).toBe('Accept, Accept-Encoding');
});

test('DOC-7 a request without preference gets JSON-LD', async () => {
  const server = await testServer();
  expect((await server.get('/vehicles')).headers['content-type']).toBe('application/ld+json');
});

test.each(['text/html', 'image/*', '*/*;q=0', 'text/turtle;q=0, text/*', 'text/turtle;charset=utf-8;q=0'])(
  'DOC-7 "%s" is answered by 406 and the five formats',
  async (accept) => {
    const server = await testServer();
    const response = await server.get('/vehicles', { accept });
    expect(response.statusCode).toBe(406);
    expect(response.headers.vary).toBe('Accept, Accept-Encoding');
    expect(response.json().offered).toEqual(Object.values(formats).map(({ mediaType }) => mediaType));
  },
);
