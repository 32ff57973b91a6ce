import type { Encoding } from '../documents/document.ts';
import { errors } from '../errors.ts';

const OF_DOCUMENTS: readonly Encoding[] = ['br', 'gzip', 'identity'];

const CODING = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * The content coding that suits an `Accept-Encoding` field best; `identity` where none was asked for.
 *
 * @param acceptEncoding - the field's value; what is no coding with a weight in it is ignored
 * @param offered - in order of preference, the plainest last
 * @throws {@link StreamError} `ERR_ENCODING_UNACCEPTABLE` - nothing on offer will do, and `identity` is ruled out
 * @see specs/documents.md DOC-37
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function negotiateEncoding<Offered extends string = Encoding>(
  acceptEncoding: string | undefined,
  offered: readonly (Offered | 'identity')[] = OF_DOCUMENTS as readonly Offered[],
): Offered | 'identity' {
  if (acceptEncoding === undefined) return 'identity';
  const weights = weightsOf(acceptEncoding);
  const others = weights.get('*');
  const candidates = [
    // Among equals: what the client names itself, the best first; then what it merely does not mind, the plainest first.
    ...offered.flatMap((encoding) => weighed(encoding, weights.get(encoding))),
    ...offered.toReversed().flatMap((encoding) => (weights.has(encoding) ? [] : weighed(encoding, others))),
    // Not ruled out, it is always acceptable.
    ...(weights.has('identity') || others !== undefined ? [] : weighed('identity' as const, LEAST)),
  ];
  // The sort keeps the order of equals.
  const [best] = candidates.sort((a, b) => b.weight - a.weight);
  if (!best) throw errors.ERR_ENCODING_UNACCEPTABLE({ acceptEncoding, offered: offered.toReversed() });
  return best.encoding;
}

const LEAST = 0.0001;

function weighed<Name>(encoding: Name, weight = 0): { encoding: Name; weight: number }[] {
  return weight > 0 ? [{ encoding, weight }] : [];
}

/** The weight of each coding that a field names, in lower case; of one that it repeats, the first. */
function weightsOf(field: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of field.split(',')) {
    const [, name, weight = '1'] = CODING.exec(item) ?? [];
    if (name === undefined) continue;
    const coding = name.toLowerCase() === 'x-gzip' ? 'gzip' : name.toLowerCase();
    if (!weights.has(coding)) weights.set(coding, Number(weight));
  }
  return weights;
}
