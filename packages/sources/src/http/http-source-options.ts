import type { HttpGetLimits } from '../http-get.ts';
import type { CompiledMapping } from '../mapping/compiled-mapping.ts';

/** How much of a document is taken, and how long it may take. */
export interface HttpSourceLimits extends Partial<HttpGetLimits> {
  /**
   * The share of the source's living entities that one poll may end, from 0 to 1; more must be confirmed by a later
   * poll. Of no meaning for observations, which never end.
   * @defaultValue 0.5
   */
  readonly limitGoneShare?: number;
  /**
   * How many pages are read in one poll: 1 to 10000. `limitBytes` holds for all of them together.
   * @defaultValue 100
   */
  readonly limitPages?: number;
  /**
   * How deep a document may nest: 1 to 1000.
   * @defaultValue 64
   */
  readonly limitDepth?: number;
  /**
   * How many records a document may have: 1 to 100000000.
   * @defaultValue 1000000
   */
  readonly limitRecords?: number;
}

/** Another document that a mapping looks things up in. */
export interface HttpSourceLookup {
  /** Where it is: absolute, http or https. The header fields of the source are sent if it is of the same origin. */
  readonly url: string;
  /**
   * How often it is fetched, milliseconds: 1 to 86400000, a day.
   * @defaultValue 3600000, an hour
   */
  readonly intervalMs?: number;
}

/**
 * Where a document says that there is more of it: `link`, the `Link` field of the answer with `rel="next"`; or the path
 * from its root to the URL of the next page, such as `next` or `["@iot.nextLink"]`.
 */
export type HttpSourcePages = 'link' | { readonly next: string };

/** What sources that poll documents over HTTP have in common. */
export interface DocumentSourceOptions {
  /** How its records become RDF. */
  readonly mapping: CompiledMapping;
  /**
   * Its name within the stream, never a secret.
   * @defaultValue `url` without query and user
   */
  readonly origin?: string;
  /**
   * How often it is polled, milliseconds: 1 to 86400000, a day.
   * @defaultValue as the document says by the `documentTtl` of its mapping, else 60000, a minute
   */
  readonly intervalMs?: number;
  /**
   * The least time between polls that what a document says of its next update may lead to, milliseconds: 1 to 86400000.
   * @defaultValue 5000
   */
  readonly leastIntervalMs?: number;
  /**
   * The longest time between polls that what a document says of its next update may lead to, milliseconds:
   * `leastIntervalMs` to 86400000, a day.
   * @defaultValue 3600000, an hour, or `leastIntervalMs` if that is more
   */
  readonly mostIntervalMs?: number;
  /** Header fields of every request, such as keys; not sent to another origin than that of `url`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: HttpSourceLimits;
}

/** A document that is polled over HTTP, and how it becomes RDF. */
export interface HttpSourceOptions extends DocumentSourceOptions {
  /** Where it is: absolute, http or https. Keys in its query and its user are never shown. */
  readonly url: string;
  /** Where the lookups of the mapping are, each by its name; all that it has, and no other. */
  readonly lookups?: Readonly<Record<string, HttpSourceLookup>>;
  /** How it goes on. @defaultValue it is one page */
  readonly pages?: HttpSourcePages;
}
