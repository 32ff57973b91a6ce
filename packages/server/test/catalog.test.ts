import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseQuads } from '@ldes-live/codec';
import { dcat, rdf } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { canonical } from '../../codec/test/canonical.ts';
import { expectSameTriples, FORMATS, objectsOf, published } from './published.ts';
import { fill, PUBLIC_URL, testServer } from './test-server.ts';

test.each(FORMATS)(
  'DOC-15 the catalogue as %s has each stream as a dataset with its root and its push endpoint',
  async (format) => {
    const server = await testServer();
    const quads = await published(server, '/', format);
    const say = (subject: string, predicate: string) => objectsOf(quads, subject, predicate);
    const stream = `${PUBLIC_URL}vehicles#stream`;
    expect(say(PUBLIC_URL, rdf.type)).toContain(dcat.Catalog);
    expect(say(PUBLIC_URL, dcat.dataset)).toEqual([stream]);
    expect(say(stream, rdf.type)).toContain(dcat.Dataset);
    const [distribution] = say(stream, dcat.distribution);
    expect(say(distribution as string, rdf.type)).toContain(dcat.Distribution);
    expect(say(distribution as string, dcat.accessURL)).toEqual([`${PUBLIC_URL}vehicles`]);
    const services = quads.filter(
      ({ predicate, object }) => predicate.value === rdf.type && object.value === dcat.DataService,
    );
    const push = services
      .map(({ subject }) => subject.value)
      .find((service) => say(service, dcat.servesDataset).includes(stream));
    expect(say(push as string, dcat.endpointURL)).toEqual([`${PUBLIC_URL}vehicles/events`]);
  },
);

test('DOC-15 the catalogue has the same triples in the five formats', async () => {
  await expectSameTriples(await testServer(), '/');
});

test('DOC-15 who prefers HTML gets a page, with what is data escaped', async () => {
  const server = await testServer();
  await fill(server, 3, 3);
  const response = await server.get('/', { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' });
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(response.body).toContain('<a href="http://localhost:3000/vehicles">Vehicle positions</a>');
  expect(response.headers.vary).toBe('Accept');
});

const SPECIFIED_URL = 'https://live.example.org/';
const specified = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../../specs/vocabulary/${file}`, import.meta.url)), 'utf8');

// A server at the public URL of specs/vocabulary, with the vocabulary of a source besides its own.
async function vocabularyServer() {
  const quads = await parseQuads(specified('rt.ttl'), 'turtle', `${SPECIFIED_URL}ns/rt`);
  const context = JSON.parse(specified('rt.context.jsonld'))['@context'];
  return testServer({ publicUrl: SPECIFIED_URL, streams: [], vocabularies: { rt: { quads, context } } });
}

test.each(['live', 'rt'])(
  'DOC-16 the terms of ns/%s are those of specs/vocabulary, in the five formats',
  async (name) => {
    const server = await vocabularyServer();
    const described = await published(server, `/ns/${name}`);
    const quads = await parseQuads(specified(`${name}.ttl`), 'turtle', `${SPECIFIED_URL}ns/${name}`);
    expect(await canonical(described)).toBe(await canonical(quads));
    await expectSameTriples(server, `/ns/${name}`);
    // The terms are those of the namespace, so that each is described at its IRI.
    const terms = described.filter(({ predicate }) => predicate.value === rdf.type).map(({ subject }) => subject.value);
    expect(terms.filter((term) => !term.startsWith(`${SPECIFIED_URL}ns/${name}`))).toEqual([]);
  },
);

test.each(['live', 'rt'])('DOC-16 the terms of ns/%s are a JSON-LD context', async (name) => {
  const server = await vocabularyServer();
  const response = await server.get(`/ns/${name}/context.jsonld`);
  expect(response.headers['content-type']).toBe('application/ld+json');
  expect(response.json()).toEqual(JSON.parse(specified(`${name}.context.jsonld`)));
});

test('DOC-16 the terms of the framework are below the public URL, and there are no others', async () => {
  const server = await testServer();
  const quads = await published(server, '/ns/live', 'turtle');
  expect(quads.some(({ subject }) => subject.value === `${PUBLIC_URL}ns/live#sequence`)).toBe(true);
  expect((await server.get('/ns/nonsense')).statusCode).toBe(404);
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
