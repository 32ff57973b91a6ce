import { parsedUrl } from '../options.ts';

/** Language, script, region, variants, extensions and private use, each where it is; or one of the older tags. */
const LANGUAGE_TAG =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+|i-[a-z]{3,8}|en-gb-oed|sgn-(?:be-fr|be-nl|ch-de))$/i;

/**
 * A language tag as RDF has it.
 *
 * @returns in lower case, as all RDF formats read it back; `undefined` for what is not well-formed by BCP 47
 * @see specs/gtfs-realtime.md GTFS-21
 * @see https://www.rfc-editor.org/rfc/rfc5646#section-2.1
 */
export function languageTag(tag: string): string | undefined {
  return LANGUAGE_TAG.test(tag) ? tag.toLowerCase() : undefined;
}

/** A web address that is an IRI as it stands; `undefined` for anything else. */
export function httpIri(text: string): string | undefined {
  const trimmed = text.trim();
  return /^https?:\/\/[^\s<>"{}|\\^`\p{Cc}]+$/iu.test(trimmed) && parsedUrl(trimmed) ? trimmed : undefined;
}
