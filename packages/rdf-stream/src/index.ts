export type { Commit } from './commit.ts';
export { commitDrafts, type LogHead } from './commit-drafts.ts';
export { type Cursor, compareCursors, formatCursor, parseCursor } from './cursor.ts';
export { blankNode, languageLiteral, literal, namedNode, quad } from './data-factory.ts';
export { defineErrors, type ErrorFactories, type ErrorTable } from './define-errors.ts';
export type { DeleteDraft, Draft, UpsertDraft } from './draft.ts';
export type { LatestEntry, LatestView } from './latest-view.ts';
export type { Member } from './member.ts';
export { type NodeShape, nodeShapeQuads, type PropertyShape } from './node-shape.ts';
export { type OwnVocabularyName, ownNamespace } from './own-vocabulary.ts';
export {
  type Extent,
  extentOfPage,
  extentOfRange,
  isSealed,
  openPage,
  PAGE_MEMBERS,
  pageOf,
  RANGE_PAGES,
  rangeOf,
  TAIL_MEMBERS,
} from './page-layout.ts';
export {
  BREAK_EVEN_ATTRIBUTE,
  EVENT_STREAM_MEDIA_TYPE,
  HEARTBEAT_MS,
  httpFields,
  pushEvents,
  relations,
} from './protocol.ts';
export { relabelBlankNodes } from './relabel-blank-nodes.ts';
export type { RetentionPolicy } from './retention-policy.ts';
export type { FindingMeaning, SourceHealth, SourceProblem } from './source-health.ts';
export type { Publisher, StreamAbout } from './stream-about.ts';
export { describeStream, type StreamDescription, type StreamOptions } from './stream-description.ts';
export { type ErrorCode, type ErrorDetails, isStreamError, StreamError } from './stream-error.ts';
export { versionIri } from './version-draft.ts';
export { as, dcat, dct, dqv, foaf, ldes, prefixes, prov, rdf, sh, sosa, tree, vocals, xsd } from './vocabulary.ts';
