import type { Quad } from '@rdfjs/types';
import jsonld from 'jsonld';
import { writeQuads } from '../src/index.ts';

/** Canonical N-Quads (RDFC-1.0): equal for isomorphic datasets. */
export async function canonical(quads: readonly Quad[]): Promise<string> {
  return await canonicalText(writeQuads(quads, 'nquads', {}));
}

/** Canonical N-Quads of N-Quads. */
export async function canonicalText(text: string): Promise<string> {
  const options = {
    algorithm: 'URDNA2015',
    inputFormat: 'application/n-quads',
    format: 'application/n-quads',
    // Generated blank nodes may be alike, which takes more than its guard against hostile data allows.
    canonizeOptions: { maxDeepIterations: 100_000 },
  } as const;
  // The types know documents as input only.
  return (await jsonld.canonize(text as never, options)) as string;
}
