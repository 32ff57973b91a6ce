/**
 * One request and what a conforming server answers.
 *
 * Texts may name what was found at the server under test, see {@link Target}: `{latest}`, `{sealed}`, `{etag}` ...
 */
export interface ConformanceCase {
  /** Stays with the case, as ids of requirements do. */
  readonly id: string;
  /** The requirements that it tries: ids of `specs/`, or a section of an RFC where they rest on one. */
  readonly cites: string;
  /** What is asked, and what comes of it. */
  readonly says: string;
  /** URL that is asked for, as it stands: it may be malformed on purpose. */
  readonly url: string;
  /** @defaultValue `GET` */
  readonly method?: string;
  /** Request header fields. None are added but `Host` and `Connection`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of a request made of the fields above, to the host of `url`: for what is no HTTP. */
  readonly raw?: string;
  readonly expected: Expected;
}

/** What is expected of an answer. Where a part is absent, anything will do. */
export interface Expected {
  readonly status: number | readonly number[];
  /** Response header fields: a text is compared as it is, `null` means that there is none of that name. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** Fields that are those of the plain `GET` with the same `Accept` and `Accept-Encoding`. */
  readonly asPlain?: readonly string[];
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
