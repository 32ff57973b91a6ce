// A module all of whose exports are public is exported whole; of the others those that are named here.
export * from './cursor.ts';
export {
  defineErrors,
  type ErrorCode,
  type ErrorDetails,
  type ErrorFactories,
  type ErrorTable,
  formatDuration,
  isStreamError,
  PROBLEM_MEDIA_TYPE,
  problemDocument,
  StreamError,
} from './errors.ts';
export * from './filter.ts';
export { type JsonLdNode, jsonLdNodes } from './json-ld-reader.ts';
export type { Avoid } from './json-ld-writer.ts';
export * from './link.ts';
export * from './member.ts';
export * from './member-text.ts';
export * from './messages.ts';
export { termText } from './n-quads.ts';
export * from './node-shape.ts';
export { memberPosition, type Position } from './position.ts';
export * from './protocol.ts';
export * from './read-members.ts';
export { parseQuads } from './read-rdf.ts';
export * from './sse.ts';
export * from './stream-description.ts';
export {
  blankNode,
  checkQuads,
  isDatatypeOfLanguage,
  isIri,
  isLanguageTag,
  isStrictIri,
  languageLiteral,
  literal,
  namedNode,
  quad,
  relabelBlankNodes,
  termKey,
} from './terms.ts';
export { createQuadReader, parseNQuads, type QuadReader, type TextFormat } from './text-reader.ts';
export * from './tree-documents.ts';
export * from './vocabulary.ts';
export * from './write-rdf.ts';
