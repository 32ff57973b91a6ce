import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The suites of the W3C in tests/suites, with the cases that each has: one that lost some is noticed. */
const SUITES = {
  turtle: 291,
  trig: 335,
  'n-quads': 85,
  'n-triples': 68,
  'json-ld-to-rdf': 462,
  'sparql-csv-tsv': 6,
  'sparql-json': 4,
} as const;

/** A case as its suite has it. */
export interface SuiteCase {
  readonly name: string;
  /** What is asked: to read it as `output`, to read it, or to refuse it; of a query, the format of `output`. */
  readonly kind: 'eval' | 'positive' | 'negative' | 'csv' | 'tsv' | 'srj';
  readonly base: string;
  readonly input: string;
  /** N-Quads, of whatever syntax; the result of a query. */
  readonly output?: string;
  /** What a query is asked of, as Turtle. */
  readonly data?: string;
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
  const lines = gunzipSync(packed).toString().split('\n').slice(0, -1);
  if (lines.length !== SUITES[name]) throw new Error(`${name} has ${lines.length} cases, not ${SUITES[name]}`);
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
