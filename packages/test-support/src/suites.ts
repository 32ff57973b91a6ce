import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The suites of the W3C in tests/suites, with the SHA-256 of the text of each: a case that is lost or altered is noticed. */
const SUITES = {
  turtle: 'ca8d82a289c57d1b933e56ba214b1d2c9e2ad3bba6845a2f17a62bbe8bd51b33',
  trig: 'c11f5a25be913c21d03df7679a1caae02c93202e321367383097718f372c33df',
  'n-quads': '3c5dd2db444c596087eb284aaf7428be8d631ad0415549e45e3ea6593c2abd31',
  'n-triples': 'ae3db303959aa56fe67e920d6dff68ada662860bd8bff1e0b1b5a5f6a8a882bf',
  'json-ld-to-rdf': '2fc68d37de975cc5610e0480f3bb09bf6de89b81ac89dc57f2ea72cf294e404c',
  'sparql-csv-tsv': 'bfca1cda4e823d20d5da919791bb3d68c3ec5c970fe9ee46baf4f77c829b82bd',
  'sparql-json': 'b66b0405568d6d08686d987dd072aab270e349e73dc41462a15758719142c9a9',
  'sparql-query': '63206d2aa5972eb335e56e0d3945eb52dd6171e366a8d588063e30726b93e205',
} as const;

/** A case as its suite has it. */
export interface SuiteCase {
  readonly name: string;
  /** What is asked: to read it as `output`, to read it, or to refuse it; of a query, the format of `output`. */
  readonly kind: 'eval' | 'positive' | 'negative' | 'csv' | 'tsv' | 'srj' | 'srx' | 'ttl';
  readonly base: string;
  readonly input: string;
  /** N-Quads, of whatever syntax; the result of a query. */
  readonly output?: string;
  /** What a query is asked of, as Turtle, or as RDF/XML where its URL ends by `.rdf`. */
  readonly data?: string;
  /** The URL of `data`. */
  readonly dataUrl?: string;
  /** The named graphs that a query is asked of, by the URLs of their files. */
  readonly graphs?: Readonly<Record<string, string>>;
  /** Of JSON-LD: the code of the error that a negative case asks for. */
  readonly error?: string;
  /** Of JSON-LD: the only version that the case is of; 1.1 where it is absent. */
  readonly only?: '1.0';
  /** Of JSON-LD: options of the API that the case needs. */
  readonly option?: Readonly<Record<string, unknown>>;
  /** Of JSON-LD: the documents that `input` refers to, by URL. */
  readonly documents?: Readonly<Record<string, string>>;
}

/** All cases of a suite, in its order. */
export function suiteCases(name: keyof typeof SUITES): readonly SuiteCase[] {
  const packed = readFileSync(new URL(`../../../tests/suites/${name}.jsonl.gz`, import.meta.url));
  const text = gunzipSync(packed);
  const found = createHash('sha256').update(text).digest('hex');
  if (found !== SUITES[name]) throw new Error(`The text of ${name} has the SHA-256 ${found}, not ${SUITES[name]}`);
  const lines = text.toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as SuiteCase);
}

/**
 * What becomes of each case that does not do as its suite asks, by name: compared with the known deviations, so that one
 * that is new fails, and one that is no more.
 *
 * @param judge - `undefined` where the case does as is asked, else what it did instead
 */
export async function deviations(
  cases: readonly SuiteCase[],
  judge: (each: SuiteCase) => Promise<string | undefined>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const each of cases) {
    const deviation = await judge(each);
    if (deviation !== undefined) found[each.name] = deviation;
  }
  return found;
}
