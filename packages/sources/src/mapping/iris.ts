/*
 * IRIs of mappings and of records: compact ones by their prefixes, `dct:title`, and whether what a source states is one
 * that readers take for no other.
 */
import { isStrictIri, prefixes } from '@ldes-live/rdf-stream';
import { parsedUrl } from '../options.ts';

/**
 * The prefixes that a mapping need not declare: those of the framework, and those of vocabularies for what cities and
 * sensors publish.
 *
 * @see specs/mappings.md MAP-7
 */
export const mappingPrefixes: Readonly<Record<string, string>> = {
  ...prefixes,
  mv: 'http://schema.mobivoc.org/#',
  owl: 'http://www.w3.org/2002/07/owl#',
  qudt: 'http://qudt.org/schema/qudt/',
  unit: 'http://qudt.org/vocab/unit/',
};

/** Where a mapping is used: what `{+base}` and `{+stream}` stand for. */
export interface MappingUrls {
  readonly publicUrl: string;
  readonly streamUrl: string;
}

/**
 * The namespaces of prefixes where a mapping is used: what begins with `{+base}` or `{+stream}` moves with these.
 *
 * @see specs/mappings.md MAP-7
 */
export function prefixesAt(
  prefixes: Readonly<Record<string, string>> | undefined,
  { publicUrl, streamUrl }: MappingUrls,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(prefixes ?? {}).map(([prefix, namespace]) => [
      prefix,
      namespace.replace(/^\{\+(base|stream)\}/, (_, place) => (place === 'base' ? publicUrl : streamUrl)),
    ]),
  );
}

/** Schemes of IRIs that have no `//` after the colon: anything else there is taken for a prefix. */
const OPAQUE_SCHEMES: ReadonlySet<string> = new Set('urn tag did doi info mailto tel data ni'.split(' '));
/** What IRIs that a source states may begin with: schemes that name things and run nothing. */
const STATED_SCHEMES: ReadonlySet<string> = new Set('http https urn tag did doi info mailto ni tel'.split(' '));

/** Makes absolute IRIs of compact ones. */
export interface IriExpansion {
  /** The IRI; what is neither compact nor absolute comes back as it is. */
  readonly expand: (compact: string) => string;
  /** What is wrong with a compact or absolute IRI, or `undefined`. */
  readonly mistakeOf: (compact: string) => string | undefined;
}

/**
 * Reads compact IRIs by the usual prefixes and those of a mapping.
 *
 * @see specs/mappings.md MAP-7
 */
export function iriExpansion(declared: Readonly<Record<string, string>> = {}): IriExpansion {
  const namespaces = new Map([...Object.entries(mappingPrefixes), ...Object.entries(declared)]);
  const expand: IriExpansion['expand'] = (compact) => {
    const colon = compact.indexOf(':');
    const namespace = compact.startsWith('//', colon + 1) ? undefined : namespaces.get(compact.slice(0, colon));
    return colon < 0 || namespace === undefined ? compact : namespace + compact.slice(colon + 1);
  };
  return {
    expand,
    mistakeOf: (compact) => {
      const iri = expand(compact);
      const [scheme = '', rest = ''] = iri.split(/:(.*)/su);
      if (!isAbsoluteIri(iri)) return `"${compact}" is neither an IRI nor a compact IRI such as dct:title`;
      if (rest.startsWith('//') || OPAQUE_SCHEMES.has(scheme.toLowerCase()) || iri !== compact) return undefined;
      return `"${compact}" has the prefix "${scheme}", which is not known: declare it under "prefixes"`;
    },
  };
}

/**
 * What no IRI has: what RDF formats cannot write between `<` and `>`, and white space and further signs that some readers
 * refuse.
 */
const NOT_IN_IRIS =
  /[\p{Cc}\s<>"{}|\\^`\p{Surrogate}\p{Private_Use}\p{Noncharacter_Code_Point}\u{fff0}-\u{fffd}\u{e0000}-\u{e0fff}]/u;
/** Most IRIs are in ASCII, which is quicker to tell. */
const ASCII_IRI = /^[!#-;=?-[\]_a-z~]*$/;
/** How an absolute IRI begins. */
export const ABSOLUTE = /^(?:https?:\/\/[^/?#]|(?!https?:)[a-z][a-z0-9+.-]*:.)/i;

/** Whether a text is an absolute IRI that all readers of RDF take. */
export function isAbsoluteIri(text: string): boolean {
  return ABSOLUTE.test(text) && isStrictIri(text);
}

/** Whether every RDF format can hold the characters of a text between `<` and `>`. */
export function hasIriCharacters(text: string): boolean {
  return ASCII_IRI.test(text) || !NOT_IN_IRIS.test(text);
}

/**
 * Most IRIs, told at once: a host of names, and no percent, bracket or hidden step. No two parts of it that may repeat
 * begin alike, so that it never steps back. A host that ends in letters alone is no number.
 */
export const PLAIN_IRI =
  /^(?:https?:\/\/[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*(?=[:/])(?<=[./-][A-Za-z]+)(?::[1-9]\d{0,3})?(?:\/(?:[\w~!$&'()*+,;=:@-][\w.~!$&'()*+,;=:@-]*)?)+(?:\?[\w.~!$&'()*+,;=:@/?-]*)?(?:#[\w.~!$&'()*+,;=:@/?-]*)?|urn:[A-Za-z0-9][A-Za-z0-9-]*:[\w.~!$&'()*+,;=:@-]+)$/;

const HALF_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** A step `.` or `..`, which readers resolve, however its dots are written. */
const DOT_STEP = /\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;
const WEB = /^https?:\/\/([^/?#]*)([^?#]*)/i;

/**
 * What is wrong with an absolute IRI that a source states, wholly or in part, if anything is: what RFC 3986 does not
 * allow, or what readers would take for another one.
 *
 * @see specs/mappings.md MAP-8
 * @see https://www.rfc-editor.org/rfc/rfc3986
 */
export function faultOfIri(iri: string): string | undefined {
  if (PLAIN_IRI.test(iri)) return undefined;
  const scheme = iri.slice(0, iri.indexOf(':')).toLowerCase();
  if (!STATED_SCHEMES.has(scheme)) return `an IRI of http, https, urn or the like was expected, and not of ${scheme}`;
  if (HALF_ESCAPE.test(iri)) return 'an IRI was expected in which every % has two hexadecimal digits';
  const [begin = '', authority = '', path = ''] = WEB.exec(iri) ?? [];
  const rest = iri.slice(begin.length);
  if (/[[\]]/.test(path + rest)) return 'an IRI without brackets was expected';
  if (/#.*#/s.test(rest)) return 'an IRI with at most one # was expected';
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  if (authority.includes('@')) return 'an IRI without user and password was expected';
  if (DOT_STEP.test(path)) return 'an IRI without the steps . and .. was expected';
  return parsedUrl(iri)?.host ? undefined : 'an IRI with a valid host and port was expected';
}
