/** The vocabularies of the project itself; each is a document that every server serves. */
export type OwnVocabularyName = 'live' | 'rt';

/**
 * Namespace IRI of one of the project's own vocabularies, as the server at `publicUrl` serves it.
 *
 * @param publicUrl - the base URL of the server, ending in `/`
 * @see specs/documents.md DOC-16
 */
export function ownNamespace(publicUrl: string, name: OwnVocabularyName): string {
  return `${publicUrl}ns/${name}#`;
}
