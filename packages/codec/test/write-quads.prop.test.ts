import { check, fc } from '@ldes-live/test-support/properties';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import jsonld from 'jsonld';
import { expect, test } from 'vitest';
import { type Format, formats, parseQuads, writeQuads } from '../src/index.ts';
import { jsonLdDocument } from '../src/json-ld-document.ts';
import { oddPrefixes, quadsArbitrary } from './generated-quads.ts';

const baseIri = 'http://base.example/dir/doc?q#f';
const names = Object.keys(formats) as Format[];

test.each(names)('DOC-7 quads written as %s are read back by others, lexical forms included', async (format) => {
  const graphs = format !== 'turtle' && format !== 'ntriples';
  await check(
    fc.asyncProperty(quadsArbitrary({ graphs, doubles: true }), async (quads) => {
      const text = writeQuads(quads, format, oddPrefixes);
      expect(writeQuads([...quads], format, { ...oddPrefixes })).toBe(text);
      const expected = await canonical(quads);
      expect(await canonical(await parseQuads(text, format, baseIri))).toBe(expected);
      if (format !== 'jsonld') expect(await canonicalText(text, formats[format].mediaType)).toBe(expected);
    }),
    { numRuns: 300 },
  );
});

// Doubles are left out: `jsonld` prints their strings anew, against the standard.
test('any JSON-LD processor reads the same quads', async () => {
  await check(
    fc.asyncProperty(quadsArbitrary({ graphs: true, doubles: false }), async (quads) => {
      const document = jsonLdDocument(quads, oddPrefixes);
      // Safe mode refuses whatever a processor would drop.
      const options = { format: 'application/n-quads', base: baseIri, safe: true } as const;
      const read = (await jsonld.toRDF(document as never, options)) as never as string;
      expect(await canonicalText(read)).toBe(await canonical(quads));
    }),
    { numRuns: 500 },
  );
});

test('DOC-7 N-Quads keep order and labels', async () => {
  await check(
    fc.asyncProperty(quadsArbitrary({ graphs: true, doubles: true }), async (quads) => {
      const read = await parseQuads(writeQuads(quads, 'nquads', oddPrefixes), 'nquads', baseIri);
      expect(read).toHaveLength(quads.length);
      expect(read.every((one, index) => one.equals(quads[index]) && quads[index]?.equals(one))).toBe(true);
    }),
  );
});
