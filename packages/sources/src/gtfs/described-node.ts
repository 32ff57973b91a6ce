import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types';
import { decimalText } from './decimal-text.ts';
import type { ReferenceKind } from './entity-iris.ts';
import type { LocalizedImage, TranslatedString } from './generated/gtfs-realtime.ts';
import type { EnumName } from './messages.ts';
import { httpIri, languageTag } from './published-text.ts';
import { conceptName } from './rt-concepts.ts';
import type { RtMapping } from './rt-mapping.ts';
import { rdf } from './standard-terms.ts';
import { dateTimeText, durationText } from './wire-time.ts';

type NamedNode = ReturnType<typeof namedNode>;

/** A node, and the quads that what is said of it goes to. What is not set, or cannot be said, is not said. */
export interface DescribedNode {
  readonly subject: Quad_Subject;
  readonly quads: Quad[];
  readonly mapping: RtMapping;
}

/** Starts the description of an entity. */
export function describedEntity(entity: string, mapping: RtMapping): DescribedNode {
  return { subject: namedNode(entity), quads: [], mapping };
}

/** Says that the node has a property. */
export function say(node: DescribedNode, predicate: NamedNode, object: Quad_Object): void {
  node.quads.push(quad(node.subject, predicate, object));
}

/** Says that the node is of a class. */
export function sayType(node: DescribedNode, type: NamedNode): void {
  say(node, rdf.type, type);
}

/** Starts the description of a blank node that the node has. */
export function sayNode(node: DescribedNode, predicate: NamedNode, type: NamedNode): DescribedNode {
  const inner = { ...node, subject: blankNode() };
  say(node, predicate, inner.subject);
  sayType(inner, type);
  return inner;
}

/** Says a reference by id; the empty id refers to nothing. */
export function sayReference(
  node: DescribedNode,
  predicate: NamedNode,
  kind: ReferenceKind,
  id: string | undefined,
): void {
  if (id) say(node, predicate, namedNode(node.mapping.iris.reference(kind, id)));
}

/** Says a text that has no language; the empty one is not set. */
export function sayString(node: DescribedNode, predicate: NamedNode, value: string | undefined): void {
  if (value) say(node, predicate, literal(value));
}

/** Says an integer. */
export function sayInteger(node: DescribedNode, predicate: NamedNode, value: number | undefined): void {
  if (value !== undefined) say(node, predicate, literal(String(value), xsd.integer));
}

/** Says a decimal number. */
export function sayDecimal(
  node: DescribedNode,
  predicate: NamedNode,
  value: number | undefined,
  precision: 'float' | 'double',
): void {
  const text = value === undefined ? undefined : decimalText(value, precision);
  if (text !== undefined) say(node, predicate, literal(text, xsd.decimal));
}

/** Says an instant, given in POSIX seconds. */
export function sayTime(node: DescribedNode, predicate: NamedNode, seconds: number | undefined): void {
  const text = seconds === undefined ? undefined : dateTimeText(seconds);
  if (text !== undefined) say(node, predicate, literal(text, xsd.dateTime));
}

/** Says a length of time, given in seconds. */
export function sayDuration(node: DescribedNode, predicate: NamedNode, seconds: number | undefined): void {
  if (seconds !== undefined) say(node, predicate, literal(durationText(seconds), xsd.duration));
}

/** Says a value of an enumeration. */
export function sayConcept(
  node: DescribedNode,
  predicate: NamedNode,
  values: EnumName,
  value: string | undefined,
): void {
  if (value !== undefined) say(node, predicate, node.mapping.term(conceptName(values, value)));
}

/** Says a text in each of its languages. */
export function sayTexts(node: DescribedNode, predicate: NamedNode, texts: TranslatedString | undefined): void {
  for (const { text, language } of texts?.translation ?? []) {
    if (text === '') continue;
    const tag = language === undefined ? undefined : languageTag(language);
    say(node, predicate, tag === undefined ? literal(text) : languageLiteral(text, tag));
  }
}

/** Says a link for each language; one that is no web address is not said. */
export function sayLinks(node: DescribedNode, predicate: NamedNode, links: TranslatedString | undefined): void {
  for (const { text } of links?.translation ?? []) sayLink(node, predicate, text);
}

/** Says a link, unless it is no web address. */
export function sayLink(node: DescribedNode, predicate: NamedNode, link: LocalizedImage['url']): void {
  const iri = httpIri(link);
  if (iri !== undefined) say(node, predicate, namedNode(iri));
}
