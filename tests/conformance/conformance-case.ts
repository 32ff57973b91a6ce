/** One request and what a conforming server answers. Texts may name what was found at the server: `{latest}`, `{etag}` ... */
export interface ConformanceCase {
  /** The requirements that it tries, then an id that stays with the case, then what is asked and what comes of it. */
  readonly name: string;
  readonly method: string;
  /** URL that is asked for, as it stands: it may be malformed on purpose. */
  readonly url: string;
  /** Request header fields. None are added but `Host` and `Connection`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent instead of a request made of the fields above, to the host of `url`: for what is no HTTP. */
  readonly raw?: string;
  readonly status: number;
  readonly expected: Expected;
}

/** What is expected of an answer. Where a part is absent, anything will do. */
export interface Expected {
  /** Response header fields: a text is compared as it is, `null` means that there is none of that name. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** Names of fields that are those of the plain `GET` with the same `Accept` and `Accept-Encoding`. */
  readonly asPlain?: string;
  /** `Cache-Control` and its kin agree with each other, as of a document that changes. */
  readonly scheduled?: boolean;
  /** The code of a problem document, which is never cached. */
  readonly problem?: string | RegExp;
  /**
   * `none`: nothing at all. `identity`: once decoded, that of the same request without `Accept-Encoding`.
   * `triples`: RDF of its media type that says what N-Quads do. A pattern: what it holds.
   */
  readonly content?: 'none' | 'identity' | 'triples' | RegExp;
  /**
   * What a push stream says from its beginning, once decoded: a regular expression, in which a name stands for what it
   * is, and a dot for any character. The stream is read until it fits.
   */
  readonly stream?: string;
}

/**
 * A case. Its request is a URL, after its method where that is not `GET`, and a line for each header field.
 *
 * @example ask('DOC-18 CAC-24 HEAD is conditional', 'HEAD {latest}\nif-none-match: {etag}', 304, { content: 'none' })
 */
export function ask(name: string, request: string, status: number, expected: Expected = {}): ConformanceCase {
  const [line = '', ...fields] = request.split('\n');
  const [url = '', method = 'GET'] = line.split(' ').reverse();
  const headers = fields.map((field) => /^([^:]+): ?(.*)$/.exec(field)?.slice(1) ?? []);
  return { name, method, url, headers: Object.fromEntries(headers), status, expected };
}

/** Documents that change with the stream. */
export const DOCUMENTS = ['{root}', '{latest}', '{open}', '{range}', '{entity}'];
