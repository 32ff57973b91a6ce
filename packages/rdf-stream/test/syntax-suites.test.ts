import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import { deviations, type SuiteCase, suiteCases } from '@ldes-live/test-support/suites';
import type { Quad } from '@rdfjs/types';
import { describe, expect, test } from 'vitest';
import { createQuadReader, type Format, formats, parseQuads, type TextFormat, writeQuads } from '../src/index.ts';
import { fastLines } from '../src/n-quads.ts';

const suites = [
  ['turtle', 'turtle'],
  ['trig', 'trig'],
  ['n-quads', 'nquads'],
  ['n-triples', 'ntriples'],
] as const;

const read = async ({ input, base }: SuiteCase, format: TextFormat) => await parseQuads(input, format, base);

/** Reads what is cut into pieces that are shorter than most tokens; a reader of pieces resolves by a stated base only. */
async function readInPieces({ input, base }: SuiteCase, format: TextFormat): Promise<Quad[]> {
  const text = format === 'turtle' || format === 'trig' ? `@base <${base}> .\n${input}` : input;
  const reader = createQuadReader(format, 1000);
  const quads: Quad[] = [];
  for (const piece of text.match(/.{1,7}/gs) ?? []) for (const slice of reader.push(piece)) quads.push(...slice);
  for (const slice of reader.end()) quads.push(...slice);
  return quads;
}

/** JSON-LD by our reader, which a suite of its own judges: others print a double anew. */
async function readByOthers(text: string, format: Format): Promise<string> {
  if (format === 'jsonld') return await canonical(await parseQuads(text, format, 'urn:unused:'));
  return await canonicalText(text, formats[format].mediaType);
}

/** What a reader does that is not as the suite asks; negative cases are refused by `codes`. */
async function judge(each: SuiteCase, reading: Promise<Quad[]>, codes: readonly string[]): Promise<string | undefined> {
  const outcome = await reading.catch((error: Error & { code: string }) => error);
  if (each.kind === 'negative') {
    return outcome instanceof Error && codes.includes(outcome.code) ? undefined : 'not refused';
  }
  if (outcome instanceof Error) return outcome.message;
  const isEqual = each.kind === 'positive' || (await canonical(outcome)) === (await canonicalText(each.output ?? ''));
  return isEqual ? undefined : 'other quads';
}

describe.each(suites)('%s of the W3C', (suite, format) => {
  const cases = suiteCases(suite);

  test('is read as it asks', async () => {
    expect(await deviations(cases, (each) => judge(each, read(each, format), ['ERR_RDF_MALFORMED']))).toEqual({});
  });

  test('is read as it asks in pieces', async () => {
    // A relative IRI is one that it may not have, as the grammar of lines says too.
    const codes = ['ERR_RDF_MALFORMED', 'ERR_TERM_UNSUPPORTED'];
    expect(await deviations(cases, (each) => judge(each, readInPieces(each, format), codes))).toEqual({});
  });

  test('is written so that others read it back, in every format', async () => {
    const counts: Partial<Record<Format, number>> = {};
    const found = await deviations(cases, async (each) => {
      if (each.kind === 'negative') return undefined;
      const quads = await read(each, format);
      const expected = await canonical(quads);
      const hasGraphs = quads.some(({ graph }) => graph.termType !== 'DefaultGraph');
      for (const written of Object.keys(formats) as Format[]) {
        if (hasGraphs && (written === 'turtle' || written === 'ntriples')) continue;
        const text = writeQuads(quads, written, { e: 'http://example/', a: 'http://a.example/' });
        if ((await readByOthers(text, written)) !== expected) return text;
        counts[written] = (counts[written] ?? 0) + 1;
      }
      return undefined;
    });
    expect(found).toEqual({});
    expect(Object.keys(counts).sort()).toEqual(Object.keys(formats).sort());
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(40);
  });
});

test.each([
  ['n-quads', true],
  ['n-triples', false],
] as const)(
  'most of %s is read without the parser of the whole grammar, and nothing that is refused',
  (suite, hasGraphs) => {
    const read = suiteCases(suite).filter(({ input }) => (fastLines(input, hasGraphs)?.length ?? 0) > 0);
    expect(read.filter(({ kind }) => kind === 'negative')).toEqual([]);
    expect(read.length).toBeGreaterThan(20);
  },
);
