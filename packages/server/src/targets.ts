/*
 * What is at a URL. URLs are matched as they are written; only unreserved characters in the first two segments are decoded
 * (RFC 3986, 6.2.2.2).
 *
 *   '/vehicles/pages/k3x9a/7?x'          -> { kind: 'view', stream: vehicles, view: by time, rest: 'pages/k3x9a/7' }
 *   'http://host.example/vehicles/events' -> { kind: 'events', stream: vehicles }
 *   '/nonsense'                          -> undefined
 */
import { formats } from '@ldes-live/rdf-stream';
import { descriptionDocument, vocabularyContext } from './documents/descriptions.ts';
import type { StreamDocument, View } from './documents/document.ts';
import { normalPath } from './http/negotiate.ts';
import type { Vocabulary } from './options.ts';
import type { OpenStream } from './streams.ts';

/** Below a view of a stream: `rest` is as it was asked for. */
export interface ViewTarget {
  readonly kind: 'view';
  readonly stream: OpenStream;
  readonly view: View;
  readonly rest: string;
}

/** Where a request goes. */
export type Target =
  | ViewTarget
  | { readonly kind: 'events' | 'shape'; readonly stream: OpenStream }
  /** Below a stream, or one of the server's own paths, where there may be nothing. */
  | { readonly kind: 'unknown'; readonly stream: OpenStream | undefined }
  | { readonly kind: 'description'; readonly document: StreamDocument }
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly mediaType: string }
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'catalog' | 'health' | 'metrics' };

const UNKNOWN: Target = { kind: 'unknown', stream: undefined };

/** How many URLs to remember. */
const LIMIT_REMEMBERED = 256;

/** What there is to be found at URLs. */
export class Targets {
  readonly #byName: ReadonlyMap<string, OpenStream>;
  readonly #places: ReadonlyMap<string, Target>;
  /** Those below views that were asked for lately: pollers ask for the same ones again and again. */
  readonly #remembered = new Map<string, Target>();

  constructor(
    byName: ReadonlyMap<string, OpenStream>,
    publicUrl: string,
    vocabularies: Readonly<Record<string, Vocabulary>>,
  ) {
    this.#byName = byName;
    this.#places = new Map<string, Target>([
      ['/', { kind: 'catalog' }],
      ['/health', { kind: 'health' }],
      ['/metrics', { kind: 'metrics' }],
      ...vocabularyPlaces(publicUrl, vocabularies),
    ]);
  }

  /** Finds what is at a request target; `undefined` where it is of nothing here. */
  resolve(url: string): Target | undefined {
    const known = this.#remembered.get(url);
    if (known) return known;
    const target = this.#find(url);
    if (target?.kind === 'view') {
      if (this.#remembered.size >= LIMIT_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(url, target);
    }
    return target;
  }

  /** Forgets what was found: the streams have changed. */
  forget(): void {
    this.#remembered.clear();
  }

  #find(url: string): Target | undefined {
    const path = normalPath(url);
    const end = path.indexOf('/', 1);
    const stream = this.#byName.get(end < 0 ? path.slice(1) : path.slice(1, end));
    if (!stream) return this.#places.get(path) ?? (path.startsWith('/ns/') ? UNKNOWN : undefined);
    const { viewsByPath } = stream;
    const root = viewsByPath.get('') as View;
    if (end < 0) return { kind: 'view', stream, view: root, rest: '' };
    const below = path.slice(end + 1);
    const next = below.indexOf('/');
    const segment = next < 0 ? below : below.slice(0, next);
    if (below === 'events' || below === 'shape') return { kind: below, stream };
    const named = segment === '' ? undefined : viewsByPath.get(segment);
    if (!named)
      return segment === 'pages' ? { kind: 'view', stream, view: root, rest: below } : { kind: 'unknown', stream };
    const rest = next < 0 ? '' : below.slice(next + 1);
    // A slash at the end makes another URL, at which there is nothing.
    if (next >= 0 && rest === '') return { kind: 'unknown', stream };
    return { kind: 'view', stream, view: named, rest };
  }
}

/** The vocabularies: each as a document, and as a JSON-LD context. */
function vocabularyPlaces(publicUrl: string, vocabularies: Readonly<Record<string, Vocabulary>>): [string, Target][] {
  return Object.entries(vocabularies).flatMap(([name, vocabulary]): [string, Target][] => {
    const document = descriptionDocument(`${publicUrl}ns/${name}`, () => vocabulary.quads);
    const { url, bytes } = vocabularyContext(publicUrl, name, vocabulary);
    return [
      [`/ns/${name}`, { kind: 'description', document }],
      [`/ns/${name}${url.slice(url.lastIndexOf('/'))}`, { kind: 'bytes', bytes, mediaType: formats.jsonld.mediaType }],
      // Another release may have another context.
      [`/ns/${name}/context.jsonld`, { kind: 'redirect', url }],
    ];
  });
}
