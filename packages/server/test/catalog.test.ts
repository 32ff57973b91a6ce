import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  dcat,
  dct,
  foaf,
  ldes,
  namedNode,
  parseQuads,
  quad,
  rdf,
  sd,
  sh,
  skos,
  tree,
  vcard,
  vocals,
  voidTerms,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { Store } from 'n3';
import SHACLValidator from 'rdf-validate-shacl';
import { expect, test } from 'vitest';
import { expectSameTriples, objectsOf, published } from './published.ts';
import { emptyStream, PUBLIC_URL, type TestServer, testServer } from './test-server.ts';

const STREAM = `${PUBLIC_URL}vehicles#stream`;
const PULL = `${PUBLIC_URL}vehicles#pull`;
const PUSH = `${PUBLIC_URL}vehicles#push`;
const OPERATOR = { name: 'Operator <& Sons>', iri: 'https://operator.example/#us' };
const LICENCE = 'https://creativecommons.org/licenses/by/4.0/';
const ABOUT = {
  description: 'Where "buses" <are> & when.',
  licence: LICENCE,
  publisher: OPERATOR,
  keywords: ['bus', '<i>tram</i>'],
};

/** What a catalogue says, by subject and predicate. */
async function catalogOf(server: TestServer) {
  const quads = await published(server, '/');
  return (subject: string, predicate: string) => objectsOf(quads, subject, predicate);
}

test('DOC-15 the catalogue has each stream as a dataset with its root and its push endpoint', async () => {
  const say = await catalogOf(await testServer());
  expect(say(PUBLIC_URL, rdf.type)).toContain(dcat.Catalog);
  expect(say(PUBLIC_URL, dcat.dataset)).toEqual([STREAM]);
  expect(say(PUBLIC_URL, dcat.service)).toEqual([PULL, PUSH]);
  expect(say(STREAM, rdf.type)).toContain(dcat.Dataset);
  const [distribution] = say(STREAM, dcat.distribution);
  expect(say(distribution as string, rdf.type)).toContain(dcat.Distribution);
  expect(say(distribution as string, dcat.accessURL)).toEqual([`${PUBLIC_URL}vehicles`]);
});

test('DOC-15 the catalogue has the same triples in the five formats', async () => {
  await expectSameTriples(await testServer({}, { about: ABOUT, retention: { fullLogMs: 3_600_000 } }), '/');
});

test('DOC-15 a stream is described by all that is known of it', async () => {
  const say = await catalogOf(await testServer({}, { about: ABOUT }));
  expect(say(PUBLIC_URL, dct.title)).toEqual([`Live streams at ${PUBLIC_URL}`]);
  expect(say(PUBLIC_URL, dct.publisher)).toEqual([OPERATOR.iri]);
  expect(say(STREAM, rdf.type).sort()).toEqual([dcat.Dataset, ldes.EventStream, vocals.RDFStream].sort());
  expect(say(STREAM, dct.title)).toEqual(['Vehicle positions']);
  expect(say(STREAM, dct.description)).toEqual([ABOUT.description]);
  expect(say(STREAM, dct.publisher)).toEqual([OPERATOR.iri]);
  expect(say(OPERATOR.iri, rdf.type)).toEqual([foaf.Agent]);
  expect(say(OPERATOR.iri, foaf.name)).toEqual([OPERATOR.name]);
  expect(say(STREAM, dct.license)).toEqual([LICENCE]);
  expect(say(STREAM, dcat.keyword)).toEqual(ABOUT.keywords);
  expect(say(STREAM, dct.type)).toEqual([ldes.EventStream]);
  expect(say(STREAM, dct.conformsTo)).toEqual([
    'https://w3id.org/ldes/specification',
    'https://w3id.org/tree/specification',
  ]);
});

test('DOC-15 what is not known of a stream is not said, and a publisher without an IRI gets one', async () => {
  const bare = await catalogOf(await testServer());
  expect(bare(STREAM, dct.description)).toEqual(['Vehicle positions']);
  for (const predicate of [dct.publisher, dct.license, dcat.keyword, ldes.pollingInterval]) {
    expect(bare(STREAM, predicate)).toEqual([]);
  }
  expect(bare(PUBLIC_URL, dct.publisher)).toEqual([]);
  const say = await catalogOf(await testServer({}, { about: { publisher: { name: 'De Lijn' } } }));
  expect(say(STREAM, dct.publisher)).toEqual([`${PUBLIC_URL}#publisher-De%20Lijn`]);
  expect(say(`${PUBLIC_URL}#publisher-De%20Lijn`, foaf.name)).toEqual(['De Lijn']);
});

const EVERYTHING = {
  ...ABOUT,
  contact: { name: 'Helpdesk', email: 'data@agency.example', url: 'https://agency.example/help' },
  themes: ['http://publications.europa.eu/resource/authority/data-theme/TRAN', 'http://example.org/themes/'],
  places: ['http://publications.europa.eu/resource/authority/country/BEL'],
};
const MINIMUM = { publisher: { name: 'De Lijn' } };

// What a catalogue lacks by the shapes of this folder: [subject, path].
async function catalogueValidator() {
  const shapes = await parseQuads(
    readFileSync(new URL('./catalogue-shapes.ttl', import.meta.url), 'utf8'),
    'turtle',
    'http://shapes.example/',
  );
  const dataset = (quads: readonly Quad[]) => new Store([...quads] as never) as never;
  const validator = new SHACLValidator(dataset(shapes));
  const validate = async (quads: readonly Quad[]) =>
    (await validator.validate(dataset(quads))).results.map(({ focusNode, path }) => [focusNode?.value, path?.value]);
  return { shapes, validate };
}

test.each([
  ['everything', EVERYTHING],
  ['a publisher', MINIMUM],
])('DOC-15 of a stream of which %s is known the catalogue states all that is mandatory', async (_name, about) => {
  const { description, log } = await emptyStream(undefined, { about });
  const server = await testServer({ streams: [{ description, log, sparqlEndpoint: `${PUBLIC_URL}sparql` }] });
  const quads = await published(server, '/');
  const { shapes, validate } = await catalogueValidator();
  expect(await validate(quads)).toEqual([]);
  const isOf = (iri: string, type: string) => objectsOf(quads, iri, rdf.type).includes(type);
  // Each thing that has to be said, left out: as many as the shapes have of them.
  const mandatory = shapes.flatMap(({ subject, predicate, object }) => {
    if (predicate.value !== sh.property || objectsOf(shapes, object.value, sh.minCount).length === 0) return [];
    const [type] = objectsOf(shapes, subject.value, sh.targetClass);
    return objectsOf(shapes, object.value, sh.path).map((path) => [type as string, path] as const);
  });
  expect(mandatory).toHaveLength(19);
  for (const [type, path] of mandatory) {
    const left = quads.filter(({ subject, predicate }) => predicate.value !== path || !isOf(subject.value, type));
    const lacking = await validate(left);
    expect(lacking.length, `${type} ${path}`).toBeGreaterThan(0);
    expect(lacking.filter(([, found]) => found !== path)).toEqual([]);
  }
  const other = quad(namedNode(`${PUBLIC_URL}vehicles#view`), namedNode(dcat.mediaType), namedNode(PUBLIC_URL));
  expect(await validate([...quads, other])).toContainEqual([other.subject.value, dcat.mediaType]);
});

test('DOC-15 of streams of several publishers the catalogue has none, and lacks nothing else', async () => {
  const streams = await Promise.all(
    ['a', 'b'].map((name) => emptyStream(undefined, { name, about: { publisher: { name } } })),
  );
  const quads = await published(await testServer({ streams }), '/');
  const { validate } = await catalogueValidator();
  expect(await validate(quads)).toEqual([[PUBLIC_URL, dct.publisher]]);
});

test('DOC-15 the catalogue says of the stream what its root says', async () => {
  const server = await testServer();
  server.time.schedule = { kind: 'interval', intervalMs: 15_000, nextMs: server.time.nowMs + 1000 };
  const say = await catalogOf(server);
  const root = await published(server, '/vehicles');
  const said = root.filter(({ subject }) => subject.value === STREAM);
  expect(said.length).toBeGreaterThan(7);
  for (const { predicate, object } of said) expect(say(STREAM, predicate.value)).toContain(object.value);
  const view = objectsOf(root, `${PUBLIC_URL}vehicles`, tree.viewDescription);
  expect(say(STREAM, dcat.distribution)).toContain(view[0]);
});

test.each([
  [undefined, 'IRREG', undefined],
  [15_000, 'CONT', '15'],
  [60_000, '1MIN', '60'],
  [54_000, '1MIN', '54'],
  [53_999, 'CONT', '53'],
  [300_000, '5MIN', '300'],
  [900_000, '15MIN', '900'],
  [3_600_000, 'HOURLY', '3600'],
  [3_960_000, 'HOURLY', '3960'],
  [4_320_000, 'OTHER', '4320'],
  [43_200_000, '12HRS', '43200'],
  [86_400_000, 'DAILY', '86400'],
  [604_800_000, 'WEEKLY', '604800'],
])('DOC-15 of an interval of %s ms the frequency is %s', async (intervalMs, frequency, seconds) => {
  const server = await testServer();
  if (intervalMs) server.time.schedule = { kind: 'interval', intervalMs, nextMs: server.time.nowMs };
  const say = await catalogOf(server);
  expect(say(STREAM, dct.accrualPeriodicity)).toEqual([
    `http://publications.europa.eu/resource/authority/frequency/${frequency}`,
  ]);
  expect(say(STREAM, ldes.pollingInterval)).toEqual(seconds === undefined ? [] : [seconds]);
});

test.each(['', '/latest', '/tiles'])('DOC-15 S%s is a view, and its view description a distribution', async (path) => {
  const url = `${PUBLIC_URL}vehicles${path}`;
  const server = await testServer({}, { about: ABOUT, retention: { versionAmount: 3, versionMs: 86_400_000 } });
  const say = await catalogOf(server);
  expect(say(STREAM, tree.view)).toContain(url);
  expect(say(STREAM, dcat.distribution)).toContain(`${url}#view`);
  expect(say(`${url}#view`, rdf.type)).toContain(dcat.Distribution);
  expect(say(`${url}#view`, dcat.accessURL)).toEqual([url]);
  expect(say(`${url}#view`, dcat.downloadURL)).toEqual([url]);
  expect(say(`${url}#view`, dct.license)).toEqual([LICENCE]);
  expect(say(`${url}#view`, dcat.mediaType)).toEqual([
    'https://www.iana.org/assignments/media-types/application/ld+json',
  ]);
  const document = await published(server, `/vehicles${path}`);
  const [policy] = objectsOf(document, `${url}#view`, ldes.retentionPolicy);
  expect(say(`${url}#view`, ldes.retentionPolicy)).toEqual([policy]);
  const stated = document.filter(({ subject }) => subject.value === policy);
  expect(stated.length).toBeGreaterThan(2);
  for (const { predicate, object } of stated) expect(say(policy as string, predicate.value)).toEqual([object.value]);
});

test('DOC-15 the history of a stream that keeps everything has no policy', async () => {
  const say = await catalogOf(await testServer());
  expect(say(`${PUBLIC_URL}vehicles#view`, ldes.retentionPolicy)).toEqual([]);
});

test.each([
  [PULL, 'vehicles', 'documents.md', 'https://w3id.org/ldes/specification'],
  [PUSH, 'vehicles/events', 'push.md', 'https://html.spec.whatwg.org/multipage/server-sent-events.html'],
])('DOC-15 %s is a service with what it serves, where, and how', async (service, path, specification, standard) => {
  const say = await catalogOf(await testServer());
  expect(say(service, rdf.type)).toContain(dcat.DataService);
  expect(say(service, dcat.endpointURL)).toEqual([PUBLIC_URL + path]);
  expect(say(service, dcat.endpointDescription)[0]).toMatch(new RegExp(`/specs/${specification}$`));
  expect(say(service, dct.conformsTo)).toContain(standard);
  expect(say(service, dcat.servesDataset)).toEqual([STREAM]);
  // The push endpoint is the endpoint of the stream in the terms of VoCaLS too.
  expect(say(PUBLIC_URL, rdf.type)).toContain(vocals.StreamDescriptor);
  expect(say(STREAM, vocals.hasEndpoint)).toEqual([PUSH]);
  expect(say(PUSH, rdf.type)).toContain(vocals.StreamEndpoint);
  expect(say(PUSH, dcat.accessURL)).toEqual([`${PUBLIC_URL}vehicles/events`]);
});

test.each([
  ['/', 'application/ld+json'],
  ['/', 'text/turtle'],
  ['/ns/live', 'application/ld+json'],
  ['/vehicles/shape', 'text/turtle'],
])('DOC-40 %s as %s is kept for a minute, and who has it gets 304', async (path, accept) => {
  const server = await testServer();
  const first = await server.get(path, { accept });
  expect(first.headers['cache-control']).toBe('public, max-age=60');
  expect(first.headers.vary).toBe('Accept, Accept-Encoding');
  expect(first.headers.etag).toMatch(/^"[\w.-]+"$/);
  const again = await server.get(path, { accept, 'if-none-match': first.headers.etag as string });
  expect(again.statusCode).toBe(304);
  expect(again.body).toBe('');
  expect(again.headers.etag).toBe(first.headers.etag);
  expect(again.headers['cache-control']).toBe('public, max-age=60');
  const other = await (await testServer()).get(path, { accept });
  expect(other.rawPayload.equals(first.rawPayload)).toBe(true);
  expect(other.headers.etag).toBe(first.headers.etag);
  const head = await server.app.inject({ method: 'HEAD', url: path, headers: { accept } });
  expect(head.statusCode).toBe(200);
  expect(head.headers['content-length']).toBe(String(first.rawPayload.length));
  expect(head.headers.etag).toBe(first.headers.etag);
});

test('DOC-40 the catalogue changes with the interval of a stream, and is sent compressed', async () => {
  const server = await testServer();
  const before = await server.get('/');
  server.time.schedule = { kind: 'interval', intervalMs: 60_000, nextMs: server.time.nowMs };
  const after = await server.get('/', { 'if-none-match': before.headers.etag as string });
  expect(after.statusCode).toBe(200);
  expect(after.body).toContain('1MIN');
  const zipped = await server.get('/', { 'accept-encoding': 'gzip' });
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(after.body);
  expect(zipped.headers.etag).not.toBe(after.headers.etag);
  const known = await server.get('/', { 'accept-encoding': 'gzip', 'if-none-match': zipped.headers.etag as string });
  expect(known.statusCode).toBe(304);
});

test('DOC-15 whom to ask, what it is about and where is stated where it is known', async () => {
  const { body } = await (await testServer({}, { about: EVERYTHING })).get('/', { accept: 'application/n-triples' });
  const [theme, other] = EVERYTHING.themes as [string, string];
  for (const [subject, predicate, object] of [
    [STREAM, dcat.theme, `<${theme}>`],
    [theme, skos.prefLabel, '"TRAN"'],
    [other, skos.prefLabel, '"themes/"'],
    [STREAM, dct.spatial, `<${EVERYTHING.places[0]}>`],
    [STREAM, dcat.contactPoint, `<${PUBLIC_URL}vehicles#contact>`],
    [`${PUBLIC_URL}vehicles#contact`, vcard.fn, '"Helpdesk"'],
    [`${PUBLIC_URL}vehicles#contact`, vcard.hasEmail, '<mailto:data@agency.example>'],
    [`${PUBLIC_URL}vehicles#contact`, vcard.hasURL, '<https://agency.example/help>'],
  ]) {
    expect(body).toContain(`<${subject}> <${predicate}> ${object} .\n`);
  }
});

test('DOC-15 a stream that takes queries has an endpoint for them, which the root names too', async () => {
  const endpoint = `${PUBLIC_URL}vehicles/sparql`;
  const { description, log } = await emptyStream();
  const server = await testServer({ streams: [{ description, log, sparqlEndpoint: endpoint }] });
  const say = await catalogOf(server);
  const service = `${PUBLIC_URL}vehicles#sparql`;
  expect(say(PUBLIC_URL, dcat.service)).toContain(service);
  expect(say(service, rdf.type).sort()).toEqual([dcat.DataService, sd.Service].sort());
  for (const predicate of [dcat.endpointURL, sd.endpoint, dcat.endpointDescription]) {
    expect(say(service, predicate)).toEqual([endpoint]);
  }
  expect(say(service, dcat.servesDataset)).toEqual([STREAM]);
  expect(say(STREAM, voidTerms.sparqlEndpoint)).toEqual([endpoint]);
  expect(objectsOf(await published(server, '/vehicles'), STREAM, voidTerms.sparqlEndpoint)).toEqual([endpoint]);
});
