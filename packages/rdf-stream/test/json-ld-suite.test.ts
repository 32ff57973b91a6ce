import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import { deviations, type SuiteCase, suiteCases } from '@ldes-live/test-support/suites';
import { expect, test } from 'vitest';
import { parseQuads } from '../src/index.ts';

/** Options that nobody can give to the reader. */
const OPTIONS = ['processingMode', 'rdfDirection', 'expandContext', 'produceGeneralizedRdf'];

const all = suiteCases('json-ld-to-rdf');
const isOurs = ({ only, option = {} }: SuiteCase) => only !== '1.0' && !OPTIONS.some((name) => name in option);
const cases = all.filter(isOurs);

interface ReadingError extends Error {
  readonly code?: string;
  readonly cause?: { readonly details?: { readonly code?: string } };
}

const problemOf = ({ message }: Error) => message.replace(/^.* is not jsonld: | Correct the document.*$/g, '');

async function judge({ kind, base, input, output = '', error, documents }: SuiteCase): Promise<string | undefined> {
  const loadContext = documents && (async (url: string) => JSON.parse(documents[url] ?? '') as object);
  const outcome = await parseQuads(input, 'jsonld', base, loadContext && { loadContext }).catch(
    (thrown: ReadingError) => thrown,
  );
  if (kind === 'negative') {
    if (!(outcome instanceof Error)) return 'not refused';
    const found = outcome.code === 'ERR_RDF_MALFORMED' ? outcome.cause?.details?.code : outcome.code;
    return found === error ? undefined : (found ?? problemOf(outcome));
  }
  if (outcome instanceof Error) return problemOf(outcome);
  return kind === 'positive' || (await canonical(outcome)) === (await canonicalText(output))
    ? undefined
    : 'other quads';
}

/** What is not as the suite asks, and will be noticed when it is. */
const KNOWN = {
  // Refused where the standard drops a statement without a word: whoever wrote it should know.
  te060: '"../document-relative" is not an absolute IRI.',
  tli12: '"http://invalid/<>/test" is not an absolute IRI.',
  tli14: '"test" is not an absolute IRI.',
  twf01: '"http://example.com/a b" is not an absolute IRI.',
  twf03: '"http://example.com/baz z" is not an absolute IRI.',
  twf04: '"http://in valid" is not an absolute IRI.',
  twf05: '"bar"@a b is not a literal of RDF 1.1.',
  twf07: '"http://example.com/invalid gn" is not an absolute IRI.',
  // An IRI is what Turtle has as one: a second # is in its grammar, though not in that of RFC 3987.
  te111: 'other quads',
  te112: 'other quads',
  // `jsonld` does not know of a context of the property that nests,
  tc037: 'other quads',
  tc038: 'other quads',
  // and takes a value of several types, which is refused after it.
  ter54: 'A value of more than one type.',
  // There is no document at a URL of that scheme, nor anybody who would ask for it.
  ter04: 'ERR_JSONLD_CONTEXT_REFUSED',
};

test('JSON-LD 1.1 of the W3C is read as it asks', async () => {
  expect(await deviations(cases, judge)).toEqual(KNOWN);
});

test('DOC-19 what refers to a remote context is refused, by its URL', async () => {
  const refused: string[] = [];
  for (const { name, input, base } of cases) {
    const outcome = await parseQuads(input, 'jsonld', base).catch((error: ReadingError) => error);
    if (!(outcome instanceof Error) || outcome.code !== 'ERR_JSONLD_CONTEXT_REFUSED') continue;
    expect(outcome.message).toMatch(/ (?:tag:\S+|https:\/\/w3c\.github\.io\/\S+\.jsonld), which is not fetched/);
    refused.push(name);
  }
  expect(refused.join(' ')).toBe(
    'tc031 tc034 te126 te127 te128 ter04 ter05 tso03 tso05 tso06 tso07 tso08 tso09 tso10 tso11 tso12 tso13',
  );
});

test('cases of JSON-LD 1.0 alone, and of options that the reader does not have, are the ones not read', () => {
  const outside = all.filter((each) => !isOurs(each)).map(({ name }) => name);
  expect(outside.join(' ')).toBe(
    't0118 tc029 tdi09 tdi10 tdi11 tdi12 te014 te026 te038 te071 te075 te077 te115 te116 tep02 ter02 ter03 ter21 ter24 ter32 ter42 tpi01 tso01 ttn01',
  );
});
