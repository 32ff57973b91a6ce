import type { Freshness } from '@ldes-live/latency';
import { formatCursor, formats, httpFields } from '@ldes-live/rdf-stream';
import type { DocumentState, Representation } from '../documents/document.ts';
import { CORS_HEADERS } from './cors.ts';
import { cachingFields, VARY } from './response-headers.ts';

/** The header fields of an answer, as names and values in turns. */
export interface HeaderBlock {
  /** With the content, or of HEAD. */
  readonly whole: readonly string[];
  /** Of 304. */
  readonly unmodified: readonly string[];
}

/** What the fields of a representation change with. */
export interface Moment {
  readonly state: DocumentState;
  /** Absent for what never changes. */
  readonly fresh: Freshness | undefined;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

interface Timed extends HeaderBlock {
  readonly second: number;
  readonly maxAgeSeconds: number | undefined;
  readonly expiresSecond: number | undefined;
  readonly nextUpdateMs: number | undefined;
  readonly sequence: number | undefined;
}

/**
 * The header fields of representations: written anew when one of them changes, which is once a second at most while a
 * document stands, whatever the number of requests.
 */
export class HeaderBlocks {
  readonly #fixed = new WeakMap<Representation, readonly string[]>();
  readonly #timed = new WeakMap<Representation, Timed>();

  /** @param link - gives the `Link` field of the document, which is asked for once */
  of(representation: Representation, moment: Moment, link: (state: DocumentState) => string): HeaderBlock {
    const known = this.#timed.get(representation);
    const { state, fresh, nowMs } = moment;
    if (
      known !== undefined &&
      known.second === Math.floor(nowMs / 1000) &&
      known.maxAgeSeconds === fresh?.maxAgeSeconds &&
      known.nextUpdateMs === fresh?.nextUpdateMs &&
      known.expiresSecond === secondOf(fresh) &&
      known.sequence === state.cursor?.sequence
    ) {
      return known;
    }
    let fixed = this.#fixed.get(representation);
    if (!fixed) {
      fixed = fixedFields(representation, link(state));
      this.#fixed.set(representation, fixed);
    }
    const { variant, bytes } = representation;
    const unmodified = [
      ...cachingFields(state.caching, fresh, nowMs),
      ...(state.cursor ? [httpFields.cursor, formatCursor(state.cursor)] : []),
      ...fixed,
    ];
    const { mediaType } = formats[variant.format];
    // JSON-LD is an object: it has no order that a profile could promise.
    const hasProfile = state.profile === true && variant.format !== 'jsonld';
    const block: Timed = {
      whole: [
        'content-type',
        hasProfile ? `${mediaType}${PROFILE}` : mediaType,
        'content-length',
        String(bytes.length),
        ...unmodified,
      ],
      unmodified,
      second: Math.floor(nowMs / 1000),
      maxAgeSeconds: fresh?.maxAgeSeconds,
      expiresSecond: secondOf(fresh),
      nextUpdateMs: fresh?.nextUpdateMs,
      sequence: state.cursor?.sequence,
    };
    this.#timed.set(representation, block);
    return block;
  }
}

// The TREE profile: https://w3id.org/tree/specification/profile
const PROFILE = ';profile="https://w3id.org/tree/profile"';

function secondOf(fresh: Freshness | undefined): number | undefined {
  return fresh && Math.floor(fresh.expiresMs / 1000);
}

function fixedFields({ etag, lastModifiedMs, variant }: Representation, link: string): string[] {
  return [
    'etag',
    etag,
    'last-modified',
    new Date(lastModifiedMs).toUTCString(),
    'vary',
    VARY,
    ...(variant.encoding === 'identity' ? [] : ['content-encoding', variant.encoding]),
    'link',
    link,
    ...Object.entries(CORS_HEADERS).flat(),
  ];
}
