/*
 * What people read in place of IRIs. A label that a stream states goes first, then that of a vocabulary at this server,
 * then the end of the IRI, taken apart into words.
 *
 *   'https://w3id.org/ldes-live/gtfs-rt#occupancyStatus'  -> 'occupancy status'
 *   'http://h/timetable/entities/routes/1'                -> 'Garden Cross - Garden Gate', once the timetable was read
 */
import type { Term } from '@rdfjs/types';
import { dateTime, duration, number } from './format.ts';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const DURATION = `${XSD}duration`;
const NUMBERS = new Set(
  ['decimal', 'integer', 'double', 'float', 'int', 'long', 'short', 'nonNegativeInteger', 'positiveInteger'].map(
    (name) => XSD + name,
  ),
);

/** Labels that streams state, by IRI: of all that was read so far. */
export const knownLabels = new Map<string, string>();

/** The end of an IRI, as it is written. */
export function localName(iri: string): string {
  const end = iri.replace(/[/#]$/, '').split(/[/#:]/).at(-1) || iri;
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

/** A property; or one within a node: `hasResult numericValue` -> `result`, `stopTimeUpdate arrivalDelay` -> `arrival delay`. */
export function pathLabel(path: string): string {
  const [outer = '', inner] = path.split(' ').map((iri) => knownLabels.get(iri) ?? asWords(localName(iri)));
  // A quantity is its number, and a unit is one of something.
  if (inner === undefined || /value$/.test(inner)) return outer;
  return inner === 'unit' ? `${outer} unit` : inner;
}

export function iriLabel(iri: string): string {
  const known = knownLabels.get(iri);
  if (known !== undefined) return known;
  const name = localName(iri);
  // Words of a vocabulary, such as `FewSeatsAvailable`; an identifier is left as it is.
  return /^[A-Z][a-z]+([A-Z][a-z]+)+$/.test(name) ? asWords(name) : name;
}

/** The number that a term is, where it is one; of a duration its seconds. */
export function numberOf(term: Term | undefined): number | undefined {
  if (term?.termType !== 'Literal') return undefined;
  if (term.datatype.value === DURATION) return secondsOf(term.value);
  const value = NUMBERS.has(term.datatype.value) && term.value.trim() !== '' ? Number(term.value) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

export function isInstant(term: Term): boolean {
  return term.termType === 'Literal' && term.datatype.value === `${XSD}dateTime`;
}

/** A term as a person reads it, in the notation of the browser's locale. */
export function termLabel(term: Term): string {
  if (term.termType === 'NamedNode') return iriLabel(term.value);
  if (term.termType === 'BlankNode') return 'a node';
  if (isInstant(term)) return dateTime(Date.parse(term.value));
  const value = numberOf(term);
  if (value === undefined) return term.value;
  const isDuration = term.termType === 'Literal' && term.datatype.value === DURATION;
  return isDuration ? `${value < 0 ? '−' : ''}${duration(Math.abs(value) * 1000)}` : number(value);
}

// Of days at most: longer ones have no fixed length.
function secondsOf(text: string): number | undefined {
  const [, sign, days, hours, minutes, seconds] =
    /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text) ?? [];
  if ([days, hours, minutes, seconds].every((part) => part === undefined)) return undefined;
  const sum = Number(days ?? 0) * 86_400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  return sign ? -sum : sum;
}

/** Takes over the labels of a vocabulary or of entities, by IRI; the first one counts. */
export function learnLabel(iri: string, label: string): void {
  if (!knownLabels.has(iri)) knownLabels.set(iri, label);
}
