import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseQuads, writeQuads } from '@ldes-live/codec';
import { dcat } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { liveVocabulary } from '../src/live-vocabulary.ts';
import { fill, PUBLIC_URL, testServer } from './test-server.ts';

test('DOC-15 the catalogue has each stream as a dataset with its root and its push endpoint', async () => {
  const server = await testServer();
  for (const [format, accept] of [
    ['jsonld', '*/*'],
    ['turtle', 'text/turtle'],
  ] as const) {
    const response = await server.get('/', { accept });
    const quads = await parseQuads(response.body, format, PUBLIC_URL);
    const say = (subject: string, predicate: string) =>
      quads
        .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
        .map(({ object }) => object.value);
    expect(say(PUBLIC_URL, dcat.dataset)).toEqual([`${PUBLIC_URL}vehicles#stream`]);
    const [distribution] = say(`${PUBLIC_URL}vehicles#stream`, dcat.distribution);
    expect(say(distribution as string, dcat.accessURL)).toEqual([`${PUBLIC_URL}vehicles`]);
    expect(say(`${PUBLIC_URL}vehicles#push`, dcat.servesDataset)).toEqual([`${PUBLIC_URL}vehicles#stream`]);
  }
});

test('DOC-15 who prefers HTML gets a page, with what is data escaped', async () => {
  const server = await testServer();
  await fill(server, 3, 3);
  const response = await server.get('/', { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' });
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(response.body).toContain('<a href="http://localhost:3000/vehicles">Vehicle positions</a>');
  expect(response.headers.vary).toBe('Accept');
});

test('DOC-16 the terms of the framework are described at their IRIs', async () => {
  const server = await testServer();
  const response = await server.get('/ns/live', { accept: 'text/turtle' });
  const quads = await parseQuads(response.body, 'turtle', `${PUBLIC_URL}ns/live`);
  expect(quads.some(({ subject }) => subject.value === `${PUBLIC_URL}ns/live#sequence`)).toBe(true);
  expect((await server.get('/ns/nonsense')).statusCode).toBe(404);
});

test('DOC-16 the terms of the framework are those of specs/vocabulary, as Turtle and as a JSON-LD context', async () => {
  const folder = fileURLToPath(new URL('../../../specs/vocabulary/', import.meta.url));
  const { quads, context } = liveVocabulary('https://live.example.org/ns/live#');
  const published = await parseQuads(
    readFileSync(`${folder}live.ttl`, 'utf8'),
    'turtle',
    'https://live.example.org/ns/live',
  );
  const lines = (all: readonly Quad[]) => writeQuads(all, 'nquads', {}).split('\n').sort();
  expect(lines(published)).toEqual(lines(quads));
  expect(JSON.parse(readFileSync(`${folder}live.context.jsonld`, 'utf8'))).toEqual({ '@context': context });
  const server = await testServer();
  const response = await server.get('/ns/live/context.jsonld');
  expect(response.headers['content-type']).toBe('application/ld+json');
  expect(response.json()['@context'].sequence['@id']).toBe('live:sequence');
});

test('DOC-17 health tells cursor, entities, connections and sources, and is never cached', async () => {
  const server = await testServer();
  await fill(server, 3, 3);
  const source = { origin: 'http://agency.example/vp.pb', state: 'ok', errors: {}, findings: {} } as const;
  server.time.sources = [source];
  const response = await server.get('/health');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.json()).toEqual({
    status: 'ok',
    streams: {
      vehicles: { cursor: `${server.log.head.cursor.epoch}-3`, entities: 3, pushConnections: 0, sources: [source] },
    },
  });
  server.time.sources = [source, { ...source, state: 'failing', errors: { ERR_FEED_EMPTY: 2 } }];
  expect((await server.get('/health')).json()).toMatchObject({ status: 'degraded' });
});
