import { defineErrors } from './define-errors.ts';

interface MalformedText {
  readonly url?: string | undefined;
  readonly format: string;
  readonly line?: number | undefined;
  readonly problem: string;
}

/** The errors of this package. */
export const errors = defineErrors({
  ERR_CURSOR_MALFORMED: ({ value }: { value: string }) =>
    `"${value}" is not a cursor: give <epoch>-<sequence> as the server printed it, such as "k3x9a-42".`,
  ERR_DRAFT_REPEATED: ({ entity }: { entity: string }) =>
    `The commit has two drafts of ${entity}: a commit holds one version of an entity, so append them one after the other.`,
  ERR_VERSION_REPEATED: ({ version }: { version: string }) =>
    `The commit has two drafts of the version ${version}: a version is published once, so leave one out, or give it another IRI.`,
  ERR_RDF_MALFORMED: ({ url = 'The document', format, line, problem }: MalformedText) =>
    `${url} is not ${format}${line === undefined ? '' : ` (line ${line})`}: ${problem} Whoever wrote it has to correct it, or to send it as the format that it is.`,
  ERR_JSONLD_CONTEXT_REFUSED: ({ url }: { url: string }) =>
    `The JSON-LD document refers to the context ${url}, which is not fetched: put the context inline.`,
  ERR_JSONLD_UNAVAILABLE: ({ problem }: { problem: string }) =>
    `What reads JSON-LD could not be loaded (${problem}): check that the files beside the program, or of its bundle, can be reached.`,
  ERR_GRAPH_UNSUPPORTED: ({ format, graph }: { format: string; graph: string }) =>
    `${format} cannot hold the graph ${graph}: write trig, nquads or jsonld, or put the quads in the default graph.`,
  ERR_TERM_UNSUPPORTED: ({ term }: { term: string }) =>
    `${term} cannot be written: give absolute IRIs without spaces or any of <>"{}|^\`\\, blank node labels of letters, digits and _.- and literals as in RDF 1.1.`,
  ERR_NARROWING_LIMIT: ({ values, limitNarrowing }: { values: number; limitNarrowing: number }) =>
    `The query has ${values} entities, types and boxes in all, and may have ${limitNarrowing}. Divide them among several streams, or leave them out and choose from the whole stream.`,
  ERR_NARROWING_MALFORMED: ({ name, value, expected }: { name: string; value: string; expected: string }) =>
    `"${value}" is not a value of ${name} to filter a stream by: give ${expected}.`,
  ERR_QUAD_STREAM_CLOSED: (_: object) =>
    'The stream of quads was closed before its end: what came of it may not be all. Read it again from its source.',
  ERR_SSE_EVENT_TOO_LARGE: ({ limitBytes }: { limitBytes: number }) =>
    `An event is larger than ${limitBytes} bytes: raise limitBytes if the server is to be trusted with that much memory.`,
  ERR_SSE_FIELD_INVALID: ({ field, value }: { field: string; value: string }) =>
    `${JSON.stringify(value)} cannot be the ${field} of an event: leave out line breaks and NUL, and give retry as whole milliseconds >= 0.`,
  ERR_VIEW_NOT_FOUND: ({ url }: { url: string }) =>
    `Nothing in ${url} has it as its tree:view: give the URL of the root node of an LDES; a catalogue lists those of its streams.`,
  ERR_VIEW_AMBIGUOUS: ({ url, streams }: { url: string; streams: readonly string[] }) =>
    `${url} is the tree:view of ${streams.length} streams (${streams.join(', ')}): an LDES root belongs to one.`,
  ERR_STREAM_CONTEXT_INCOMPLETE: ({ stream, property }: { stream: string; property: string }) =>
    `${stream} has no single IRI as its ${property}: its publisher has to state one predicate on the stream, its root node or its view description.`,
  ERR_MEMBER_MALFORMED: ({ member, problem }: { member: string; problem: string }) =>
    `The member ${member} ${problem}: its publisher has to state it once, as the stream's context says.`,
  ERR_MEMBERS_TOO_LARGE: ({ limitQuads }: { limitQuads: number }) =>
    `The members have more than ${limitQuads} quads, blank nodes that they share counted for each: raise limitQuads if the publisher is to be trusted.`,
});
