/*
 * What people read in place of IRIs. A label that a stream states goes first, then that of a vocabulary at this server,
 * then the end of the IRI, taken apart into words.
 *
 *   'https://w3id.org/ldes-live/gtfs-rt#occupancyStatus'  -> 'occupancy status'
 *   'http://h/timetable/entities/routes/1'                -> 'Garden Cross - Garden Gate', once the timetable was read
 */
import type { Term } from '@rdfjs/types';
import { compactNumber, dateTime, number } from './format.ts';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const NUMBERS = new Set(
  ['decimal', 'integer', 'double', 'float', 'int', 'long', 'short', 'nonNegativeInteger', 'positiveInteger'].map(
    (name) => XSD + name,
  ),
);

/** Labels that streams state, by IRI: of all that was read so far. */
export const knownLabels = new Map<string, string>();

/** The end of an IRI, as it is written. */
export function localName(iri: string): string {
  const end = /[^/#:]+(?=[/#]?$)/.exec(iri)?.[0] ?? iri;
  try {
    return decodeURIComponent(end);
  } catch {
    return end;
  }
}

/** `currentStopSequence` -> `current stop sequence`; what looks like a code stays as it is. */
function asWords(name: string): string {
  if (/^[A-Z0-9_]+$/.test(name)) return name;
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .replace(/^has (?=\w)/i, '')
    .toLowerCase();
}

/** A property, or a path of two that are nested: `http://.../hasResult http://.../numericValue` -> `result numeric value`. */
export function pathLabel(path: string): string {
  return (
    path
      .split(' ')
      .map((iri) => knownLabels.get(iri) ?? asWords(localName(iri)))
      .join(' ')
      // A quantity is its number.
      .replace(/(?<=.) (?:numeric )?value$/, '')
  );
}

export function iriLabel(iri: string): string {
  const known = knownLabels.get(iri);
  if (known !== undefined) return known;
  const name = localName(iri);
  // Words of a vocabulary, such as `FewSeatsAvailable`; an identifier is left as it is.
  return /^[A-Z][a-z]+([A-Z][a-z]+)+$/.test(name) ? asWords(name) : name;
}

/** The number that a term is, where it is one. */
export function numberOf(term: Term | undefined): number | undefined {
  if (term?.termType !== 'Literal' || !NUMBERS.has(term.datatype.value)) return undefined;
  const value = Number(term.value);
  return Number.isFinite(value) ? value : undefined;
}

export function isInstant(term: Term): boolean {
  return term.termType === 'Literal' && term.datatype.value === `${XSD}dateTime`;
}

/** A term as a person reads it, in the notation of the browser's locale. */
export function termLabel(term: Term): string {
  if (term.termType === 'NamedNode') return iriLabel(term.value);
  if (term.termType === 'BlankNode') return 'a node';
  const value = numberOf(term);
  if (value !== undefined) return Math.abs(value) >= 1e7 ? compactNumber(value) : number(value);
  if (isInstant(term)) return dateTime(Date.parse(term.value));
  if (term.termType === 'Literal' && term.datatype.value === `${XSD}duration`) return durationLabel(term.value);
  return term.value;
}

function durationLabel(text: string): string {
  const [, sign, hours, minutes, seconds] = /^(-)?PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text) ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return text;
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, seconds && `${seconds} s`].filter(Boolean);
  return `${sign ? '−' : ''}${parts.join(' ')}`;
}

/** Takes over the labels of a vocabulary or of entities, by IRI; the first one counts. */
export function learnLabel(iri: string, label: string): void {
  if (!knownLabels.has(iri)) knownLabels.set(iri, label);
}
