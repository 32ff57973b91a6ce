import { ownNamespace } from './own-vocabulary.ts';

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
}

/**
 * Describes a stream at a server.
 *
 * @param options.publicUrl - base URL of the server, absolute, ending in `/`
 * @param options.title - for people; the name when absent
 */
export function describeStream(options: { publicUrl: string; name: string; title?: string }): StreamDescription {
  const { publicUrl, name, title = name } = options;
  const url = `${publicUrl}${name}`;
  return {
    name,
    title,
    publicUrl,
    url,
    // A fragment of the root, so that the stream dereferences to it and is still no document itself.
    iri: `${url}#stream`,
    sequencePath: `${ownNamespace(publicUrl, 'live')}sequence`,
  };
}
