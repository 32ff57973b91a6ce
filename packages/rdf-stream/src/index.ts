export { checkQuads, isDatatypeOfLanguage } from './check-quads.ts';
export type { Commit } from './commit.ts';
export { commitDrafts, type LogHead } from './commit-drafts.ts';
export { type Cursor, compareCursors, formatCursor, parseCursor } from './cursor.ts';
export { blankNode, languageLiteral, literal, namedNode, quad } from './data-factory.ts';
export { defineErrors, type ErrorFactories, type ErrorTable } from './define-errors.ts';
export type { DeleteDraft, Draft, UpsertDraft } from './draft.ts';
export { type ExtractOptions, extractMembers } from './extract-members.ts';
export {
  type Box,
  boxHas,
  type Filter,
  type FilterSubject,
  type FormerPosition,
  filterParameters,
  filterSubject,
  matches,
  parseFilter,
  ReplayFilter,
} from './filter.ts';
export { type Format, type FormatDescription, formatOf, formats } from './format.ts';
export { isIri } from './iri.ts';
export { type JsonLdNode, jsonLdNodes } from './json-ld-nodes.ts';
export type { Avoid } from './json-ld-writer.ts';
export type { LatestEntry, LatestView } from './latest-view.ts';
export { LATEST_RETENTION, latestViewQuads } from './latest-view-quads.ts';
export { findLink, type Link, type LinkReference, linkReferences, parseLinks } from './link.ts';
export { loadJsonLd } from './load-json-ld.ts';
export type { Member } from './member.ts';
export {
  type Conflict,
  documentParts,
  documentText,
  eventText,
  type Joined,
  type MemberText,
  MemberWriter,
  memberQuads,
  writeMembers,
} from './member-text.ts';
export { type MessageFormat, readMessages, writeMessages } from './messages.ts';
export { nodeQuads, type TreeNode } from './node-quads.ts';
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
export { parseNQuads, parseQuads } from './parse-quads.ts';
export { memberPosition, type Position } from './position.ts';
export {
  BREAK_EVEN_ATTRIBUTE,
  EVENT_STREAM_MEDIA_TYPE,
  HEARTBEAT_MS,
  httpFields,
  pushEvents,
  relations,
} from './protocol.ts';
export { createQuadReader, type QuadReader, type TextFormat } from './quad-reader.ts';
export { type RangeDocument, rangeQuads } from './range-quads.ts';
export { relabelBlankNodes } from './relabel-blank-nodes.ts';
export type { NodeLink } from './relation-quads.ts';
export type { RetentionPolicy } from './retention-policy.ts';
export { retentionQuads } from './retention-quads.ts';
export { type RootDocument, rootQuads, statedQuads } from './root-quads.ts';
export type { FindingMeaning, SourceHealth, SourceProblem } from './source-health.ts';
export { formatSseComment, formatSseEvent, formatSseRetry, type SseEventFields } from './sse-event.ts';
export { type SseEvent, SseParser, type SseParserOptions } from './sse-parser.ts';
export type { Publisher, StreamAbout } from './stream-about.ts';
export { readStreamContext, type StreamContext } from './stream-context.ts';
export { describeStream, type StreamDescription, type StreamOptions } from './stream-description.ts';
export { type ErrorCode, type ErrorDetails, isStreamError, StreamError } from './stream-error.ts';
export { streamQuads } from './stream-quads.ts';
export { type TileDocument, type TileLink, tileQuads } from './tile-quads.ts';
export { TurtleWriter } from './turtle-text.ts';
export { versionIri } from './version-draft.ts';
export { as, dcat, dct, dqv, foaf, ldes, prefixes, prov, rdf, sh, sosa, tree, vocals, xsd } from './vocabulary.ts';
export { writeQuads } from './write-quads.ts';
