import { ownNamespace } from './own-vocabulary.ts';
import type { RetentionPolicy } from './retention-policy.ts';
import type { StreamAbout } from './stream-about.ts';

/** What a stream is called and where it stands: enough to publish it and to write its members. */
export interface StreamDescription {
  /** Its name in URLs: `[a-z0-9][a-z0-9-]*`. */
  readonly name: string;
  /** Title for people. */
  readonly title: string;
  /** Base URL of the server, absolute, ending in `/`. */
  readonly publicUrl: string;
  /** URL of the root node; the stream's other documents are below it. */
  readonly url: string;
  /** IRI of the event stream itself. */
  readonly iri: string;
  /** IRI of the property that holds a member's sequence number (`ldes:sequencePath`). */
  readonly sequencePath: string;
  /** What it promises to keep; everything when absent. */
  readonly retention?: RetentionPolicy;
  /** What the catalogue says of it. */
  readonly about: StreamAbout;
}

/** What {@link describeStream} takes. */
export interface StreamOptions {
  /** Base URL of the server, absolute, ending in `/`. */
  readonly publicUrl: string;
  readonly name: string;
  /** For people; the name when absent. */
  readonly title?: string;
  readonly retention?: RetentionPolicy;
  readonly about?: StreamAbout;
}

/** Describes a stream at a server. */
export function describeStream(options: StreamOptions): StreamDescription {
  const { publicUrl, name, title = name, retention, about = {} } = options;
  const url = `${publicUrl}${name}`;
  return {
    name,
    title,
    publicUrl,
    url,
    // A fragment of the root, so that the stream dereferences to it and is still no document itself.
    iri: `${url}#stream`,
    sequencePath: `${ownNamespace(publicUrl, 'live')}sequence`,
    about,
    ...(retention === undefined ? {} : { retention }),
  };
}
