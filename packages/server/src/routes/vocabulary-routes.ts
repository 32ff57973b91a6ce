import { createHash } from 'node:crypto';
import type { Vocabulary } from '../options.ts';

/**
 * URL of the JSON-LD context of a vocabulary, with a hash of its content: what stands there never changes.
 *
 * @see specs/documents.md DOC-56
 */
export function contextUrl(publicUrl: string, name: string, vocabulary: Vocabulary): string {
  const hash = createHash('sha256').update(contextBytes(vocabulary)).digest('hex').slice(0, HASH_DIGITS);
  return `${publicUrl}ns/${name}/context-${hash}.jsonld`;
}

// More would not make an accident less likely than it is.
const HASH_DIGITS = 16;

/** The JSON-LD context of a vocabulary. */
export function contextBytes({ context }: Vocabulary): Buffer {
  return Buffer.from(JSON.stringify({ '@context': context }));
}
