/** One link of a `Link` header field. */
export interface Link {
  /** Absolute URL of the target. */
  readonly target: string;
  /** Its relation types, in lower case. */
  readonly rels: readonly string[];
  /** Its other parameters by name in lower case; the first where one is repeated. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A link whose target is as it is written: a reference, relative or absolute, that need not be a URL. */
export interface LinkReference extends Omit<Link, 'target'> {
  readonly reference: string;
}

// No library: `http-link-header` throws away a field for one malformed link, takes a parameter without a value for a part
// of the next, and needs `Buffer`; others have no quoted commas, or were open to fields that take quadratic time.
// Sticky, so that whatever does not fit ends the reading there, and no part of a field is looked at from two places.
const TARGET = /[\s,]*<([^>]*)>/y;
// A parameter: quoted with escapes, bare, or without a value.
const PARAMETER = /\s*;\s*(?:([^\s=;,"<>]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?)?/y;

/**
 * Reads a `Link` header field, or several joined by ", ". What follows a syntax error is ignored, and so are links of
 * another context (`anchor`).
 *
 * @see https://www.rfc-editor.org/rfc/rfc8288#section-3
 */
export function linkReferences(field: string): LinkReference[] {
  const links: LinkReference[] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(field);
    if (match) at = pattern.lastIndex;
    return match;
  };
  for (let target = take(TARGET); target; target = take(TARGET)) {
    const found = new Map<string, string>();
    for (let match = take(PARAMETER); match; match = take(PARAMETER)) {
      const [, name = '', quoted, bare = ''] = match;
      const key = name.toLowerCase();
      if (key !== '' && !found.has(key)) found.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare);
    }
    const rels = (found.get('rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    found.delete('rel');
    if (!found.has('anchor'))
      links.push({ reference: target[1] as string, rels, parameters: Object.fromEntries(found) });
  }
  return links;
}

/**
 * Reads a `Link` header field as {@link linkReferences} does, with targets resolved against `baseUrl`: the URL of the
 * document, after redirects. Targets that are not a URL are left out.
 */
export function parseLinks(field: string, baseUrl: string): Link[] {
  return linkReferences(field).flatMap(({ reference, ...link }) => {
    const target = parsedUrl(reference, baseUrl)?.href;
    return target === undefined ? [] : [{ target, ...link }];
  });
}

/**
 * A text as a URL; `undefined` for what is not one. Not by `URL.canParse`: that of Node.js 20 refuses hosts with letters
 * beyond ASCII once it was called often.
 *
 * @param base - what a relative reference is resolved against
 */
export function parsedUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The first link of a relation type, and of a media type if one is given: by its `type` parameter. */
export function findLink<Found extends Omit<Link, 'target'>>(
  links: readonly Found[],
  rel: string,
  type?: string,
): Found | undefined {
  return links.find(
    (link) => link.rels.includes(rel) && (type === undefined || link.parameters.type?.toLowerCase() === type),
  );
}
