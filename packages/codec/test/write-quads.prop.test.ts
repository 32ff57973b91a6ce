import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import fc from 'fast-check';
import jsonld from 'jsonld';
import { expect, test } from 'vitest';
import { type Format, formats, parseQuads, writeQuads } from '../src/index.ts';
import { jsonLdDocument } from '../src/json-ld-document.ts';
import { oddPrefixes, quadsArbitrary } from './generated-quads.ts';

const baseIri = 'http://base.example/dir/doc?q#f';
const names = Object.keys(formats) as Format[];

test.each(names)('DOC-7 every quad written as %s is read back, lexical forms included', async (format) => {
  const graphs = format !== 'turtle' && format !== 'ntriples';
  await fc.assert(
    fc.asyncProperty(quadsArbitrary({ graphs, doubles: true }), async (quads) => {
      const read = await parseQuads(writeQuads(quads, format, oddPrefixes), format, baseIri);
      expect(await canonical(read)).toBe(await canonical(quads));
    }),
    { numRuns: 300 },
  );
});

// Doubles are left out: `jsonld` prints their strings anew, against the standard.
test('any JSON-LD processor reads the same quads', async () => {
  await fc.assert(
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

test.each(names)('DOC-7 equal quads are equal bytes in %s, and N-Quads keep order and labels', async (format) => {
  await fc.assert(
    fc.asyncProperty(quadsArbitrary({ graphs: false, doubles: true }), async (quads) => {
      const text = writeQuads(quads, format, oddPrefixes);
      expect(writeQuads([...quads], format, { ...oddPrefixes })).toBe(text);
      if (format !== 'nquads') return;
      const read = await parseQuads(text, format, baseIri);
      expect(read).toHaveLength(quads.length);
      expect(read.every((one, index) => one.equals(quads[index]) && quads[index]?.equals(one))).toBe(true);
    }),
  );
});
