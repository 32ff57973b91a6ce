/**
 * Whether an `If-None-Match` field matches a current entity tag, by weak comparison.
 *
 * @param field - the field's value: `*`, or a list of entity tags
 * @param etag - the current entity tag, quoted
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function matchesEtag(field: string, etag: string): boolean {
  // What most clients send.
  if (field === etag) return true;
  if (field.trim() === '*') return true;
  // Entity tags may hold commas, so the list is not split but searched for tags.
  return [...field.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)].some((match) => match[1] === etag);
}
