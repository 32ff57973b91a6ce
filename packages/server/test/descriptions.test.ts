import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { live, parseQuads, prefixes, rdf, sh, tree } from '@ldes-live/rdf-stream';
import { canonical } from '@ldes-live/test-support/rdf';
import { expect, test } from 'vitest';
import { expectSameTriples, objectsOf, published } from './published.ts';
import { PUBLIC_URL, testServer } from './test-server.ts';

const STREAM = `${PUBLIC_URL}vehicles#stream`;

test('DOC-54 the members have a shape, and each view names it', async () => {
  const server = await testServer();
  const quads = await published(server, '/vehicles/shape');
  const shape = `${PUBLIC_URL}vehicles/shape`;
  expect(objectsOf(quads, shape, rdf.type)).toEqual([sh.NodeShape]);
  expect(objectsOf(quads, shape, sh.targetObjectsOf)).toEqual([tree.member]);
  for (const path of ['', '/latest', '/tiles']) {
    expect(objectsOf(await published(server, `/vehicles${path}`), STREAM, tree.shape), path).toEqual([shape]);
  }
  const { headers } = await server.get('/vehicles/shape');
  expect(headers.link).toContain(`<${PUBLIC_URL}vehicles>; rel="collection"`);
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

test.each(['live', 'rt'] as const)(
  'DOC-16 the terms of ns/%s are those of specs/vocabulary, in the five formats',
  async (name) => {
    const server = await vocabularyServer();
    const described = await published(server, `/ns/${name}`);
    const quads = await parseQuads(specified(`${name}.ttl`), 'turtle', `${SPECIFIED_URL}ns/${name}`);
    expect(await canonical(described)).toBe(await canonical(quads));
    await expectSameTriples(server, `/ns/${name}`);
    // The terms are those of the namespace, so that each is described at its IRI.
    const terms = described.filter(({ predicate }) => predicate.value === rdf.type).map(({ subject }) => subject.value);
    const namespace = prefixes[name];
    expect(terms.filter((term) => !`${term}#`.startsWith(namespace))).toEqual([]);
  },
);

test.each(['live', 'rt'])('DOC-56 ns/%s has a JSON-LD context that never changes, by its hash', async (name) => {
  const server = await vocabularyServer();
  const redirect = await server.get(`/ns/${name}/context.jsonld`);
  expect(redirect.statusCode).toBe(307);
  expect(redirect.headers['cache-control']).toBe('no-store');
  const url = redirect.headers.location as string;
  expect(url).toMatch(new RegExp(`^${SPECIFIED_URL}ns/${name}/context-[0-9a-f]{16}\\.jsonld$`));
  const response = await server.get(url.slice(SPECIFIED_URL.length - 1));
  expect(response.headers['content-type']).toBe('application/ld+json');
  expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(response.json()).toEqual(JSON.parse(specified(`${name}.context.jsonld`)));
  expect((await server.get(`/ns/${name}/context-0123456789abcdef.jsonld`)).statusCode).toBe(404);
});

test('DOC-56 documents link to the contexts, and not as what they are read by', async () => {
  const server = await testServer();
  const { headers } = await server.get('/ns/live/context.jsonld');
  for (const path of ['/vehicles', '/vehicles/latest', '/vehicles/shape']) {
    const { link } = (await server.get(path)).headers;
    expect(link).toContain(`<${headers.location}>; rel="describedby"; type="application/ld+json"`);
    expect(link).not.toContain('json-ld#context');
  }
});

test('DOC-16 the terms of the framework are described at every server, and there are no others', async () => {
  const server = await testServer();
  const quads = await published(server, '/ns/live', 'turtle');
  expect(quads.some(({ subject }) => subject.value === live.sequence)).toBe(true);
  expect((await server.get('/ns/nonsense')).statusCode).toBe(404);
});
