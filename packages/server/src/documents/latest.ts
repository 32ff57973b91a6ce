import { lastCommitTimes } from '@ldes-live/log';
import { LATEST_RETENTION, latestViewQuads } from '@ldes-live/rdf-stream';
import {
  type DocumentState,
  type Found,
  membersState,
  type StreamDocument,
  streamUrls,
  type View,
  type WrittenStream,
} from './document.ts';

/** The latest state, whole. @see specs/documents.md DOC-6 */
export function latestView(stream: WrittenStream): View {
  const document = latestDocument(stream);
  const found: Found = { kind: 'document', document, counted: 'latest' };
  const entry = { url: document.url, title: 'Latest state', retention: LATEST_RETENTION };
  return { path: 'latest', entry, find: (rest) => (rest === '' ? found : undefined) };
}

/** The entities whose IRIs are below the stream, each at its own. @see specs/documents.md DOC-14 */
export function entityView({ description, log }: WrittenStream): View {
  return {
    path: 'entities',
    find: (rest) => {
      // The IRI as it was asked for, then as the IRI that this is the URL of: an IRI may have been stated either way.
      const asked = `${description.url}/entities/${rest}`;
      const iri = log.latest.get(asked) ? asked : asked.replaceAll(NOT_ASCII, decodedOr);
      const found = log.latest.get(iri);
      return found && { kind: 'document', document: entityDocument(log, iri, found.sequence), counted: 'entity' };
    },
  };
}

/** What a URL has of an IRI in place of characters beyond ASCII. @see https://www.rfc-editor.org/rfc/rfc3987#section-3.1 */
const NOT_ASCII = /(?:%[89A-F][\dA-F])+/gi;

function decodedOr(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/** The newest version of every living entity. */
function latestDocument({ description, log, texts }: WrittenStream): StreamDocument {
  const { latest, shape } = streamUrls(description);
  // It is asked for with every poll.
  let known: DocumentState | undefined;
  return {
    url: latest,
    state: () => {
      const { cursor } = log.head;
      if (known?.cursor === cursor) return known;
      known = { ...membersState(cursor), hasTail: true };
      return known;
    },
    build: async (format) => {
      const { timeMs } = log.head;
      const quads = latestViewQuads(description, latest, shape);
      const isJoined = format === 'jsonld';
      const read = (wanted: readonly number[]) => (isJoined ? log.readMembers(wanted) : log.readLatest());
      const [content, times] = await Promise.all([
        texts.content(format, quads, log.latest.sequences(), read),
        lastCommitTimes(log, 2),
      ]);
      // Of a single commit nothing came before.
      const [previouslyModifiedMs] = times.length === 2 ? times : log.heldFrom === 1 ? [0] : [];
      return {
        ...content,
        lastModifiedMs: timeMs,
        ...(previouslyModifiedMs === undefined ? {} : { previouslyModifiedMs }),
      };
    },
  };
}

/** The newest version of one entity. @param found - its sequence number while it lived */
function entityDocument(log: WrittenStream['log'], iri: string, found: number): StreamDocument {
  // A commit may bring the next version while this one is made; one that has ended keeps its last.
  const newest = () => log.latest.get(iri)?.sequence ?? found;
  return {
    url: iri,
    state: () => {
      const cursor = { epoch: log.head.cursor.epoch, sequence: newest() };
      return { ...membersState(cursor), profile: false };
    },
    build: async () => {
      const [member] = await log.readMembers([newest()]);
      return { quads: member?.quads ?? [], lastModifiedMs: Date.parse(member?.time ?? '') };
    },
  };
}
