/* What is read without the library `jsonld` means what the library makes of it: of what our writer writes, and of what
 * somebody changed in it. */
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { canonical } from '@ldes-live/test-support/rdf';
import { expect, test } from 'vitest';
import { PrefixTable } from '../src/graph-nodes.ts';
import { parseQuads } from '../src/index.ts';
import { expandPlain } from '../src/json-ld-reader.ts';
import { jsonLdDocument } from '../src/json-ld-writer.ts';
import { oddPrefixes, quadsArbitrary } from './generated-quads.ts';

const BASE = 'http://base.example/a/';
const { '': _empty, '@id': _keyword, ...plainPrefixes } = oddPrefixes;
const documents = quadsArbitrary({ graphs: true, doubles: true }).map(
  (quads) => jsonLdDocument(quads, new PrefixTable(plainPrefixes)) as Record<string, unknown>,
);

/** What a document says by either way: one whose context is a list is one that only the library reads. */
async function readings(document: object): Promise<string[]> {
  const { '@context': context = {} } = document as { '@context'?: object };
  const read = (json: object) =>
    parseQuads(JSON.stringify(json), 'jsonld', BASE).then(canonical, (error) => String(error.code));
  return [await read(document), await read({ ...document, '@context': [context] })];
}

test('what our writer writes is expanded as the library expands it, nearly always without it', async () => {
  const met = new Floors({ read: 80 });
  await check(
    fc.asyncProperty(documents, async (document) => {
      if (!expandPlain(document)) return;
      met.count('read');
      const [own, library] = await readings(document);
      expect(own).toBe(library);
    }),
    { numRuns: 300, gateRuns: 100, met },
  );
});

const KEYS = [
  ...'@id @type @graph @value @language @context @vocab @list @set @reverse @index @included @nest @direction'.split(
    ' ',
  ),
  ...['ex:p', 'ex', 'p', '_:p', 'nobody:p', '@later', '', '__proto__', 'urn:x:p', 'http://x.example/p', 'ex:v#p'],
];
const VALUES: unknown[] = JSON.parse(`[
  null, 1, 1.5, true, "", "ex:a", "a", "@id", "@vocab", "@json", "@none", "_:b", "//x", "é", "en", "en-", "nl BE", "ex",
  "ex:a b", "http://x.example", "nobody:x", "xsd:date", [], {}, [[]], [null], { "@id": "ex:a" }, { "@value": 1 },
  { "@value": null }, { "@value": "x", "@language": "EN" }, { "@value": "x", "@type": "_:b" }, { "@type": "ex:T" },
  { "@type": "@id" }, { "@id": "ex:q" }, { "@list": [1] }, { "@graph": [] }, { "ex:p": 1, "http://x.example/p": 2 }
]`);

/** A document in which a key, or the value at a key, is another one, somewhere. */
const changed = fc
  .tuple(
    documents,
    fc.nat(),
    fc.constantFrom(...KEYS),
    fc.constantFrom(...VALUES),
    fc.constantFrom('key', 'value', 'add'),
  )
  .map(([document, at, key, value, how]) => {
    const objects: Record<string, unknown>[] = [];
    const walk = (json: unknown) => {
      if (Array.isArray(json)) json.forEach(walk);
      else if (typeof json === 'object' && json !== null) {
        objects.push(json as Record<string, unknown>);
        Object.values(json).forEach(walk);
      }
    };
    const copy = structuredClone(document);
    walk(copy);
    const object = objects[at % objects.length] as Record<string, unknown>;
    const keys = Object.keys(object);
    const old = keys[at % Math.max(1, keys.length)];
    if (how === 'add' || old === undefined) object[key] = value;
    else if (how === 'value') object[old] = value;
    else {
      object[key] = object[old];
      delete object[old];
    }
    return copy;
  });

test('a document that somebody changed means the same by both, or is left to the library', async () => {
  const met = new Floors({ read: 200, left: 1000 });
  await check(
    fc.asyncProperty(changed, async (document) => {
      const isPlain = expandPlain(document) !== undefined;
      met.count(isPlain ? 'read' : 'left');
      if (!isPlain) return;
      const [own, library] = await readings(document);
      expect(own).toBe(library);
    }),
    { numRuns: 20_000, gateRuns: 1500, met },
  );
});

test('a document of the usual shape is read without the library, however its prefixes are ordered', () => {
  const document = {
    '@context': {
      xsd: 'http://www.w3.org/2001/XMLSchema#',
      'ex:at': { '@type': 'xsd:dateTime' },
      ex: 'http://x.example/',
      'ex:of': { '@type': '@id' },
    },
    '@id': 'ex:s',
    'ex:at': '2026-01-01T00:00:00Z',
    'ex:of': ['ex:a', 5],
    'ex:text': { '@value': 'hoi', '@language': 'NL' },
  };
  expect(expandPlain(document)).toEqual([
    {
      '@id': 'http://x.example/s',
      'http://x.example/at': [
        { '@value': '2026-01-01T00:00:00Z', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
      ],
      'http://x.example/of': [{ '@id': 'http://x.example/a' }, { '@value': 5 }],
      'http://x.example/text': [{ '@value': 'hoi', '@language': 'nl' }],
    },
  ]);
});

test('what is nested deeper than 64 nodes is left to the library, which reads it too', async () => {
  const nested = (depth: number): object =>
    depth === 1 ? { '@id': 'urn:x:end', 'urn:x:p': 1 } : { 'urn:x:in': nested(depth - 1) };
  expect(expandPlain(nested(64))).toBeDefined();
  expect(expandPlain(nested(65))).toBeUndefined();
  const read = (depth: number) => parseQuads(JSON.stringify(nested(depth)), 'jsonld', BASE);
  expect((await read(65)).length).toBe(65);
});
