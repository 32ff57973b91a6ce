import type { StreamError, UpsertDraft } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { DocumentReading, MappingLookup } from './schema.ts';

/** A document that is to be mapped. */
export interface MappingInput {
  /** What `readDocument` made of its bytes. */
  readonly document: unknown;
  /** The documents of the lookups, by name; what is said by those that are missing is absent. */
  readonly lookups?: Readonly<Record<string, unknown>>;
  /** The levels of the topic that it came by, for paths that begin with `$topic`. */
  readonly topic?: readonly string[];
  /** Which source of the stream it came from. */
  readonly origin: string;
}

/** What a document says. */
export interface MappedDocument {
  /** Each of another entity, or of observations each with another `id`. */
  readonly drafts: readonly UpsertDraft[];
  /** IRIs of the entities whose records cannot be mapped: they have not ended. */
  readonly unreadableEntities: readonly string[];
  /** How many records of states cannot be mapped and do not tell whose they are. @defaultValue 0 */
  readonly unnamedRecords?: number;
  /** What was odd, by name, how often. */
  readonly findings: Readonly<Record<string, number>>;
  /** `ERR_MAPPING_RECORD` for the first records that cannot be mapped. */
  readonly problems: readonly StreamError[];
  /** Paths of its records that are neither mapped nor left out nor ignored, sorted. Looked for when first read. */
  readonly unmapped: readonly string[];
  /** When the document was made, by what it says, epoch milliseconds. */
  readonly documentTimeMs?: number;
  /** For how long it holds, by what it says, milliseconds. */
  readonly documentTtlMs?: number;
  /** How many records there are, those included that cannot be mapped. */
  readonly records: number;
}

/** A SHACL shape, and the quads that say it. */
export interface MappingShape {
  readonly iri: string;
  readonly quads: Quad[];
}

/** A mapping that is ready to map documents. */
export interface CompiledMapping {
  /** How bytes become the document. */
  readonly reading: DocumentReading;
  readonly kind: 'state' | 'observation';
  /** The other documents that are read beside, by name. */
  readonly lookups: Readonly<Record<string, MappingLookup>>;
  /**
   * Maps a document. Pure; at once, but for a mapping that is a JSON-LD context.
   *
   * @throws {@link StreamError} `ERR_MAPPING_RECORDS` - the document has nothing where its records should be
   */
  map(input: MappingInput): MappedDocument | Promise<MappedDocument>;
  /**
   * The SHACL shape of what it writes, closed: of entities, or of observations.
   *
   * @param documentUrl - URL of the document that the shape is served in: where its parts stand
   * @param sequencePath - of the log. @defaultValue that of a new one
   */
  shape(documentUrl: string, sequencePath?: string): MappingShape;
}
