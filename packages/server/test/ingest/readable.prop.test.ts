import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { canonicalText } from '@ldes-live/test-support/rdf';
import jsonld from 'jsonld';
import { expect, test } from 'vitest';
import { PUBLIC_URL } from '../test-server.ts';
import { type PostingServer, postingServer } from './posting-server.ts';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const GEO = 'http://www.opengis.net/ont/geosparql#';
const ENTITIES = `${PUBLIC_URL}water/entities/`;

const odd = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...'aZ0-_.:/#@?&<>"{}|^`\\ \n\t\0\u0080\u00a0\u2028\ufeff\uffff\ud83d\ude8b%é'),
    maxLength: 6,
  }),
  fc.constantFrom('', 'en', 'EN-gb', 'en_US', 'en--ltr', 'i-klingon', 'b/../c', '%2F', '%zz', 'x'.repeat(4090)),
  fc.constantFrom('\\u0000', '\\uD83D', '\\u0020', '\\u003E', '\\U0001F600', '\\U00110000'),
);
const iri = fc.oneof(
  fc.constantFrom('urn:p', `${RDF}type`, `${RDF}first`, 'geo:1,2', 'as:Delete', '_:b', '@type', `${GEO}hasGeometry`),
  fc.constantFrom('http://www.w3.org/ns/sosa/resultTime', 'http://purl.org/dc/terms/isVersionOf'),
  odd,
  odd.map((path) => `http://e.example/${path}`),
  odd.map((path) => ENTITIES + path),
);
const datatype = fc.oneof(
  fc.constantFrom(...['langString', 'dirLangString', 'JSON', 'HTML'].map((name) => RDF + name)),
  fc.constantFrom(...['string', 'integer', 'boolean', 'dateTime'].map((name) => XSD + name)),
  fc.constantFrom('@json', '@id', '@vocab', '@none'),
  iri,
);

/** What stands in place of an object; `raw`: of JSON alone. */
interface Value {
  readonly iri?: string;
  readonly blank?: string;
  readonly text?: string;
  readonly language?: string;
  readonly direction?: string;
  readonly datatype?: string;
  readonly raw?: unknown;
}
const text = fc.oneof(odd, fc.constantFrom('5', '1.0', 'true', '{"a":1}', 'POINT (3 51)', '2026-01-01T00:00:00Z'));
const direction = fc.constantFrom('ltr', 'rtl', 'up');
const raw = fc.constantFrom<unknown>(
  ...[5, -0, 1e21, true, null, [], {}, ['a', 'b'], { '@set': ['x'] }, { '@list': [1, ['x'], { '@id': 'urn:x' }] }],
  ...[{ '@list': [] }, { '@value': [1], '@type': '@json' }, { '@value': null }, { '@index': 'i', '@id': 'urn:x' }],
  ...[{ '@reverse': { 'urn:r': { '@id': 'urn:x' } } }, { '@included': [{ 'urn:i': 1 }] }, { '@graph': { 'urn:i': 1 } }],
);
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.record({ iri }),
  fc.record({ blank: odd }),
  fc.record({ text }),
  fc.record({ text, language: odd }),
  fc.record({ text, language: odd, direction }),
  fc.record({ text, direction }),
  fc.record({ text, datatype }),
  fc.record({ raw }),
);
const statements = fc.array(fc.record({ predicate: fc.oneof(iri, fc.constant('urn:p')), value }), {
  minLength: 1,
  maxLength: 2,
});
const context = fc.constantFrom(
  ...[{}, { '@vocab': 'http://e.example/' }, { '@language': '' }, { '@language': 'nl', '@direction': 'rtl' }],
  ...[
    { '@base': 'http://e.example/' },
    { 'urn:p': { '@type': `${RDF}langString` } },
    { 'urn:p': { '@type': '@json' } },
  ],
  ...[{ 'urn:p': { '@container': '@list' } }, { 'urn:p': { '@language': 'x y' } }, { e: 'http://e.example/\u00a0' }],
);
const posted = fc.record({
  subject: fc.oneof(
    iri,
    odd.map((path) => ENTITIES + path),
    fc.constantFrom('urn:a', 'http://e.example/a', `${ENTITIES}a`, `${ENTITIES}%F0%9F%9A%8B`, `${ENTITIES}é`),
  ),
  graph: fc.option(iri, { nil: undefined, freq: 4 }),
  statements,
  context,
});
type Posted = typeof posted extends fc.Arbitrary<infer Given> ? Given : never;

function objectText({ iri, blank, text, language, direction, datatype, raw }: Value): string {
  if (iri !== undefined) return iri.startsWith('_:') ? iri : `<${iri}>`;
  if (blank !== undefined) return `_:${blank}`;
  if (text === undefined) return Array.isArray(raw) ? `( ${raw.map((item) => `"${item}"`).join(' ')} )` : String(raw);
  const quoted = `"${text.replace(/["\n]/g, '\\$&')}"`;
  if (datatype !== undefined) return `${quoted}^^<${datatype}>`;
  return language === undefined ? quoted : `${quoted}@${language}${direction ? `--${direction}` : ''}`;
}

function lines({ subject, graph, statements }: Posted, hasGraph = false): string {
  const end = hasGraph && graph !== undefined ? ` <${graph}> .\n` : ' .\n';
  return statements.map(({ predicate, value }) => `<${subject}> <${predicate}> ${objectText(value)}${end}`).join('');
}

function objectJson({ iri, blank, text, language, direction, datatype, raw }: Value): unknown {
  if (iri !== undefined) return { '@id': iri };
  if (blank !== undefined) return { '@id': `_:${blank}`, 'urn:q': 1 };
  if (text === undefined) return raw;
  return { '@value': text, '@language': language, '@direction': direction, '@type': datatype };
}

function json({ subject, graph, statements, context }: Posted): string {
  const said = statements.map(({ predicate, value }) => [predicate, objectJson(value)]);
  const inner = graph === undefined ? {} : { '@graph': [{ '@id': subject, 'urn:q': 1 }] };
  return JSON.stringify({ '@context': context, '@id': subject, ...inner, ...Object.fromEntries(said) });
}

const BODIES: Readonly<Record<string, (one: Posted) => string>> = {
  'application/n-quads': (one) => lines(one, true),
  'application/n-triples': (one) => lines(one),
  'text/turtle': (one) => lines(one),
  'application/trig': (one) => (one.graph === undefined ? lines(one) : `<${one.graph}> { ${lines(one)} }`),
  'application/ld+json': json,
  'application/x-ndjson': (one) => `${json(one)}\n`,
};
const TYPES = Object.keys(BODIES);

/** What a reader that is not ours makes of a document. */
async function readByOthers({ app }: PostingServer, url: string, accept: string): Promise<string> {
  const { statusCode, headers, rawPayload } = await app.inject({ method: 'GET', url, headers: { accept } });
  const { location } = headers;
  if (location !== undefined) return readByOthers({ app } as PostingServer, location.replace(PUBLIC_URL, '/'), accept);
  expect([statusCode, url, accept]).toEqual([200, url, accept]);
  // As it comes over the network.
  const sent = rawPayload.toString();
  const read =
    accept === 'application/ld+json'
      ? ((await jsonld.toRDF(JSON.parse(sent), {
          format: 'application/n-quads',
          safe: true,
        } as never)) as unknown as string)
      : sent;
  return (await canonicalText(read, read === sent ? accept : undefined)).toLowerCase();
}

// A URL cannot have all that an IRI may: what stands behind `?` or `#`, a step, or half an escape.
const NO_PATH = /[?#]|\/\.\.?(?:\/|$)|%(?![\dA-F]{2})/i;

test('ING-63 what a post stores is read by others from every document, and no post keeps another from being read', async () => {
  const met = new Floors({ stored: 12, refused: 30, 'at its IRI': 3 });
  await check(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...TYPES), posted), { minLength: 1, maxLength: 6 }),
      async (all) => {
        const server = await postingServer();
        for (const [type, one] of all) {
          const { statusCode } = await server.post((BODIES[type] as (typeof BODIES)[string])(one), {
            'content-type': type,
          });
          if (statusCode !== 200 && statusCode !== 201) expect([400, 413, 422]).toContain(statusCode);
          met.count(statusCode === 201 ? 'stored' : 'refused');
        }
        const { latest, head } = server.log;
        const living = (await server.members()).filter(({ entity }) => latest.get(entity)).map(({ entity }) => entity);
        const own = living.filter((entity) => entity.startsWith(ENTITIES) && !NO_PATH.test(entity));
        met.count(own.length > 0 ? 'at its IRI' : 'stored');
        const paths = ['latest', `pages/${head.cursor.epoch}/0`, 'tiles/0/0/0', 'tiles/elsewhere'].map(
          (path) => `/water/${path}`,
        );
        for (const path of head.cursor.sequence === 0
          ? []
          : [...paths, ...own.map((entity) => entity.replace(PUBLIC_URL, '/'))]) {
          const read = await Promise.all(TYPES.slice(0, -1).map((type) => readByOthers(server, path, type)));
          expect(new Set(read).size, path).toBe(1);
        }
        await server.app.close();
      },
    ),
    { numRuns: 90, met },
  );
});
