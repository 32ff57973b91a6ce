export {
  type Cursor,
  compareCursors,
  type Extent,
  extentOfPage,
  extentOfRange,
  formatCursor,
  isSealed,
  openPage,
  PAGE_MEMBERS,
  pageOf,
  parseCursor,
  RANGE_PAGES,
  rangeOf,
  TAIL_MEMBERS,
} from './cursor.ts';
export {
  defineErrors,
  type ErrorCode,
  type ErrorDetails,
  type ErrorFactories,
  type ErrorTable,
  isStreamError,
  StreamError,
} from './errors.ts';
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
export { type JsonLdNode, jsonLdNodes, loadJsonLd } from './json-ld-reader.ts';
export type { Avoid } from './json-ld-writer.ts';
export { findLink, type Link, type LinkReference, linkReferences, parseLinks } from './link.ts';
export {
  type Commit,
  CommitBuilder,
  commitDrafts,
  type DeleteDraft,
  type Draft,
  dateTimeMs,
  isNewestState,
  isPublishedState,
  type LatestEntry,
  type LatestView,
  type LogHead,
  type Member,
  type UpsertDraft,
  versionIri,
} from './member.ts';
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
export { type NodeShape, nodeShapeQuads, type PropertyShape } from './node-shape.ts';
export { memberPosition, type Position } from './position.ts';
export {
  BREAK_EVEN_ATTRIBUTE,
  EVENT_STREAM_MEDIA_TYPE,
  type Format,
  type FormatDescription,
  formatOf,
  formats,
  HEARTBEAT_MS,
  httpFields,
  pushEvents,
  relations,
} from './protocol.ts';
export { type ReadOptions, readMembers, readStreamContext, type StreamContext } from './read-members.ts';
export { createQuadReader, parseNQuads, parseQuads, type QuadReader, type TextFormat } from './read-rdf.ts';
export {
  formatSseComment,
  formatSseEvent,
  formatSseRetry,
  type SseEvent,
  type SseEventFields,
  SseParser,
  type SseParserOptions,
} from './sse.ts';
export {
  describeStream,
  type FindingMeaning,
  formerSequencePath,
  type Publisher,
  type RetentionPolicy,
  type SourceHealth,
  type SourceProblem,
  type StreamAbout,
  type StreamDescription,
  type StreamOptions,
} from './stream-description.ts';
export {
  blankNode,
  checkQuads,
  isDatatypeOfLanguage,
  isIri,
  languageLiteral,
  literal,
  namedNode,
  quad,
  relabelBlankNodes,
} from './terms.ts';
export {
  LATEST_RETENTION,
  latestViewQuads,
  type NodeLink,
  nodeQuads,
  type RangeDocument,
  type RootDocument,
  rangeQuads,
  retentionQuads,
  rootQuads,
  streamQuads,
  streamSummaryQuads,
  type TileDocument,
  type TileLink,
  type TreeNode,
  tileQuads,
} from './tree-documents.ts';
export {
  as,
  dcat,
  dct,
  dqv,
  foaf,
  ldes,
  live,
  ownNamespace,
  prefixes,
  prov,
  rdf,
  sh,
  sosa,
  tree,
  vocals,
  xsd,
} from './vocabulary.ts';
export { TurtleWriter, writeQuads } from './write-rdf.ts';
