import { entityDocument } from '../documents/entity-document.ts';
import type { ViewMaker } from './view.ts';

/** The entities whose IRIs are below the stream, each at its own. @see specs/documents.md DOC-14 */
export const entityView: ViewMaker = (stream) => ({
  path: 'entities',
  find: (rest) => {
    // The IRI as it was asked for: decoding and encoding again would not give the same one back.
    const document = entityDocument(stream, `${stream.description.url}/entities/${rest}`);
    return document && { kind: 'document', document, counted: 'entity' };
  },
});
