import type { Quad } from '@rdfjs/types';
import { coercionsOf } from './coercion.ts';
import { iriCompactor } from './iri-compactor.ts';
import { jsonLdContext } from './json-ld-context.ts';
import { compactIri, nodeObject, topLevelObjects } from './json-ld-node.ts';
import type { Member } from './member.ts';
import { memberQuads } from './member-quads.ts';
import { groupNodes, nestedAt } from './nodes.ts';
import type { StreamDescription } from './stream-description.ts';
import { checkQuads } from './terms.ts';
import { tree } from './vocabulary.ts';

/**
 * The JSON-LD 1.1 of a commit with each member apart, as JSON texts: a document of any of its members is a matter of
 * putting texts together, see {@link piecesDocument}.
 */
export interface CommitPieces {
  /** The `@context` of a document of any of the members. */
  readonly context: string;
  /** The `@id` of the stream. */
  readonly stream: string;
  /** The key of `tree:member`, as the context shortens it. */
  readonly link: string;
  /** In the order of the commit. */
  readonly members: readonly MemberPiece[];
}

/** What one member says. */
export interface MemberPiece {
  /** The node object of the member, which stands inside the stream's. */
  readonly node: string;
  /** Further top-level nodes and graphs that it states, apart by commas; absent when there are none. */
  readonly beside?: string;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Encodes members as JSON-LD, each apart, under a context that they share.
 *
 * @param members - in sequence; a blank node label that two of them share would be taken for two nodes
 * @param prefixes - namespaces by prefix; the context declares those that it uses
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a term that JSON-LD cannot hold
 * @see specs/push.md PUSH-3
 */
export function commitPieces(
  members: readonly Member[],
  description: StreamDescription,
  prefixes: Readonly<Record<string, string>>,
): CommitPieces {
  const quads = memberQuads(description, members);
  checkQuads(quads, 'jsonld');
  const plain: Quad[] = [];
  const grouped = members.map((member) => {
    const nodes = groupNodes(member.quads, NONE);
    // What is nested is an object anyway: the context need not say how to read it.
    for (const quad of member.quads) if (!nestedAt(nodes, quad)) plain.push(quad);
    return { id: member.id, nodes };
  });
  const writer = { compactor: iriCompactor(quads, prefixes), coercions: coercionsOf(plain) };
  const link = JSON.stringify(compactIri(tree.member, writer.compactor));
  const stream = JSON.stringify(compactIri(description.iri, writer.compactor));
  const pieces = grouped.map(({ id, nodes }): MemberPiece => {
    const own = nodes.get('')?.get(id);
    const object = own ? nodeObject(own, nodes, writer) : { '@id': compactIri(id, writer.compactor) };
    const node = JSON.stringify(object);
    const others = topLevelObjects(nodes, writer, own);
    return others.length === 0 ? { node } : { node, beside: JSON.stringify(others).slice(1, -1) };
  });
  // The context last, since writing the rest decides which prefixes are used.
  return { context: JSON.stringify(jsonLdContext(writer)), stream, link, members: pieces };
}

/**
 * The JSON-LD 1.1 document of members of a commit: the stream with `tree:member`, and all that the members say; nothing
 * of the others.
 *
 * @param chosen - indices of the members, at least one, ascending
 * @defaultValue all of them
 */
export function piecesDocument(pieces: CommitPieces, chosen?: readonly number[]): string {
  const members = chosen?.map((index) => pieces.members[index] as MemberPiece) ?? pieces.members;
  const node = `"@id":${pieces.stream},${pieces.link}:[${members.map((member) => member.node).join()}]`;
  const beside = members.flatMap((member) => member.beside ?? []);
  const body = beside.length === 0 ? node : `"@graph":[{${node}},${beside.join()}]`;
  return `{"@context":${pieces.context},${body}}`;
}
