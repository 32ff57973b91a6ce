import { parsedUrl } from '../options.ts';

/**
 * A language tag as RDF has it.
 *
 * @returns in lower case, as all RDF formats read it back; `undefined` for what is no well-formed tag
 * @see specs/gtfs-realtime.md GTFS-21
 */
export function languageTag(tag: string): string | undefined {
  return /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i.test(tag) ? tag.toLowerCase() : undefined;
}

/** A web address that is an IRI as it stands; `undefined` for anything else. */
export function httpIri(text: string): string | undefined {
  const trimmed = text.trim();
  return /^https?:\/\/[^\s<>"{}|\\^`\p{Cc}]+$/iu.test(trimmed) && parsedUrl(trimmed) ? trimmed : undefined;
}
