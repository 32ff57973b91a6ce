import { dct, type Member } from '@ldes-live/rdf-stream';
import { plainText } from '../terminal/plain-text.ts';

const LABELS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2000/01/rdf-schema#label',
  dct.title,
  'http://schema.org/name',
  'http://xmlns.com/foaf/0.1/name',
]);
/** How many characters of a name are shown. */
const NAME_CHARACTERS = 40;

/**
 * What to call an entity in a line for people: its label if this version has one, else the end of its IRI.
 */
export function entityName({ id, entity, quads }: Member): string {
  const label = quads.find(({ subject, predicate }) => subject.value === id && LABELS.has(predicate.value))?.object;
  const name = label?.termType === 'Literal' ? label.value : iriName(entity);
  const plain = plainText(name);
  return plain.length > NAME_CHARACTERS ? `${plain.slice(0, NAME_CHARACTERS - 3)}...` : plain;
}

/** The key of an entity from a feed, without what makes it unique over days; else the end of the IRI. */
export function iriName(iri: string): string {
  const key = /\/entities\/[a-z-]+\/([^/]+)/.exec(iri)?.[1];
  return decoded(key ?? /[^/#]+\/?$/.exec(iri)?.[0] ?? iri);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
