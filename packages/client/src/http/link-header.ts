import { parsedUrl } from './parsed-url.ts';

/** One link of a `Link` header field. */
export interface Link {
  /** Absolute URL of the target. */
  readonly target: string;
  /** Its relation types, in lower case. */
  readonly rels: readonly string[];
  /** Its other parameters by name in lower case; the first where one is repeated. */
  readonly parameters: Readonly<Record<string, string>>;
}

// A target, or a comma between links. Sticky, so that whatever does not fit ends the reading there.
const TARGET = /[\s,]*<([^>]*)>/y;
// A parameter: quoted with escapes, bare, or without a value.
const PARAMETER = /\s*;\s*(?:([^\s=;,"<>]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?)?/y;

/**
 * Reads a `Link` header field: any number of links, with targets resolved against the document.
 *
 * What follows a syntax error is ignored, and so are links of another context (`anchor`) and targets
 * that are no URL.
 *
 * @param field - the field's value; several fields joined by ", "
 * @param baseUrl - the URL of the document, after redirects
 * @see https://www.rfc-editor.org/rfc/rfc8288#section-3
 */
export function parseLinks(field: string, baseUrl: string): Link[] {
  const links: Link[] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(field);
    if (match) at = pattern.lastIndex;
    return match;
  };
  for (let target = take(TARGET); target; target = take(TARGET)) {
    const parameters: Record<string, string> = {};
    for (let match = take(PARAMETER); match; match = take(PARAMETER)) {
      const [, name, quoted, bare = ''] = match;
      if (name !== undefined) parameters[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, '$1') ?? bare;
    }
    const { rel = '', ...others } = parameters;
    const reference = target[1] as string;
    const url = parsedUrl(reference, baseUrl);
    if (url && others.anchor === undefined) {
      links.push({ target: url.href, rels: rel.toLowerCase().split(/\s+/).filter(Boolean), parameters: others });
    }
  }
  return links;
}

/**
 * The first link of a relation type, `undefined` when there is none.
 *
 * @param type - only a link whose `type` parameter is this media type
 */
export function findLink(links: readonly Link[], rel: string, type?: string): Link | undefined {
  return links.find(
    (link) => link.rels.includes(rel) && (type === undefined || link.parameters.type?.toLowerCase() === type),
  );
}
