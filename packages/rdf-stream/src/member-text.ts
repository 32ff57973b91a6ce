// The texts of a member, each made once.
//   append:  quads --writeQuads--> member.nquads       stored; N-Quads and N-Triples documents are these lines
//   after:   member --writer.text--> MemberText        kept by sequence number, by the server
//   then:    MemberText[] --writer.join--> Joined      one commit, page, tail or latest state, under one context
//            Joined --eventText / documentText--> text
// { "node": "{\"@id\":\"http://h/S/entities/1#...\",\"@type\":\"gtfs:Vehicle\",\"dct:isVersionOf\":\"http://h/S/entities/1\"}",
//   "others": "", "needs": { "prefixes": ["dct", "gtfs"], "types": { "http://purl.org/dc/terms/isVersionOf": "@id" }, "schemes": [] } }
// JSON-LD means what its context says: so a text states what it needs of one. Where two texts of a document need opposite
// things of a property, those texts (and no others) are written again without that shorthand. The outcome follows from the
// members alone, and never from what a process saw before: all servers over one log write equal bytes.
import type { Quad } from '@rdfjs/types';
import { PrefixTable } from './graph-nodes.ts';
import {
  AVOID_NONE,
  type Avoid,
  type ContextNeeds,
  contextOf,
  jsonLdNodesOf,
  type KnownNeeds,
  needsTogether,
  relies,
  shortBy,
} from './json-ld-writer.ts';
import type { Member } from './member.ts';
import { pushEvents } from './protocol.ts';
import { formatSseEvent } from './sse.ts';
import type { StreamDescription } from './stream-description.ts';
import { checkQuads, namedNode, quad } from './terms.ts';
import { tree } from './vocabulary.ts';
import { writeQuads } from './write-rdf.ts';

/** A member as JSON-LD, apart from the document that it is to stand in. */
export interface MemberText {
  /** The node object of the member, which stands inside the stream's. */
  readonly node: string;
  /** Further top-level nodes and graphs that it states, apart by commas; empty when there are none. */
  readonly others: string;
  /** Members of one shape share one object. */
  readonly needs: ContextNeeds;
}

/** Members of a stream under one context: JSON texts from which a document of any of them is put together. */
export interface Joined {
  /** The `@context`. */
  readonly context: string;
  /** Nodes that the document has besides the stream and its members. */
  readonly head: readonly string[];
  /** The node object of the stream, without the brace that ends it. */
  readonly stream: string;
  /** The key of `tree:member`, as the context shortens it. */
  readonly link: string;
  /** In the order given. */
  readonly members: readonly Pick<MemberText, 'node' | 'others'>[];
}

/** Texts that cannot stand under one context: those of these indices are written again, and joined once more. */
export interface Conflict {
  readonly avoid: Avoid;
  readonly again: readonly number[];
}

/** Writes the members of one stream as JSON-LD, each by itself, and joins what was written. */
export class MemberWriter {
  readonly #stream: string;
  readonly #table: PrefixTable;
  readonly #needs: KnownNeeds = new Map();

  /** With namespaces by prefix; contexts declare those that are used. */
  constructor({ iri }: Pick<StreamDescription, 'iri'>, prefixes: Readonly<Record<string, string>>) {
    this.#stream = iri;
    this.#table = new PrefixTable(prefixes);
  }

  /**
   * The text of a member. The terms of one that has its N-Quads were checked when these were written.
   *
   * @param avoid - what a {@link Conflict} says, where the text is to stand with others that need something else
   * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a term that JSON-LD cannot hold
   */
  text({ id, quads, nquads }: Member, avoid: Avoid = AVOID_NONE): MemberText {
    if (nquads === undefined) checkQuads(quads, 'jsonld');
    const { own, others, needs } = jsonLdNodesOf(quads, id, this.#table, avoid, this.#needs);
    return {
      node: JSON.stringify(own),
      others: others.length === 0 ? '' : JSON.stringify(others).slice(1, -1),
      needs,
    };
  }

  /** Puts texts under one context: `head` is what the document says besides them, `avoid` that of the last conflict. */
  join(texts: readonly MemberText[], head: readonly Quad[] = [], avoid: Avoid = AVOID_NONE): Joined | Conflict {
    const { own, others, needs } = jsonLdNodesOf(head, this.#stream, this.#table, avoid);
    const { prefix = [], scheme = [] } = this.#table.shorten(tree.member, avoid.prefixes);
    const linkNeeds = { prefixes: [prefix].flat(), schemes: [scheme].flat(), types: new Map() };
    const all = texts.length === 0 ? [needs] : [needs, linkNeeds, ...new Set(texts.map((text) => text.needs))];
    const together = needsTogether(all, avoid);
    if ('avoid' in together) {
      const again = [...texts.keys()].filter((index) => relies((texts[index] as MemberText).needs, together.avoid));
      // The head is written again anyway.
      return again.length > 0 ? { avoid: together.avoid, again } : this.join(texts, head, together.avoid);
    }
    const link = shortBy(tree.member, new Set(together.needs.prefixes), this.#table);
    // What the head says of members stands in an object of its own: the stream's has one list of them.
    const { [link]: stated, ...stream } = own;
    const objects = stated === undefined ? others : [...others, { '@id': own['@id'] as string, [link]: stated }];
    return {
      context: JSON.stringify(contextOf(together.needs, this.#table)),
      head: objects.map((object) => JSON.stringify(object)),
      stream: JSON.stringify(stream).slice(0, -1),
      link: JSON.stringify(link),
      members: texts,
    };
  }

  /**
   * Members at hand under one context.
   *
   * @param text - gives their texts, where some are kept. @defaultValue {@link MemberWriter.text}
   */
  joined(
    members: readonly Member[],
    head: readonly Quad[] = [],
    text = (member: Member, avoid?: Avoid) => this.text(member, avoid),
  ): Joined {
    const texts = members.map((member) => text(member));
    let joined = this.join(texts, head);
    while ('again' in joined) {
      for (const index of joined.again) texts[index] = text(members[index] as Member, joined.avoid);
      joined = this.join(texts, head, joined.avoid);
    }
    return joined;
  }
}

// A part of a document is at least so long, characters, but the last.
const PART_LENGTH = 262_144;

/**
 * The JSON-LD 1.1 document of members, in parts, so that what is long can be written a part at a time: the stream with
 * `tree:member`, all that the members say, and the head.
 *
 * @param chosen - indices of the members to speak of, ascending; all of them when absent
 */
export function* documentChunks(joined: Joined, chosen?: readonly number[]): Iterable<string> {
  const { context, head, stream, link } = joined;
  const members = chosen?.map((index) => joined.members[index] as Joined['members'][number]) ?? joined.members;
  const others = members.filter((member) => member.others !== '').map((member) => member.others);
  const isGraph = head.length + others.length > 0;
  let part = `{"@context":${context},${isGraph ? `"@graph":[${[...head, stream].join()}` : stream.slice(1)}`;
  let separator = `,${link}:[`;
  for (const { node } of members) {
    part += separator + node;
    separator = ',';
    if (part.length < PART_LENGTH) continue;
    yield part;
    part = '';
  }
  part += `${members.length > 0 ? ']' : ''}${isGraph ? '}' : ''}`;
  for (const other of others) {
    part += `,${other}`;
    if (part.length < PART_LENGTH) continue;
    yield part;
    part = '';
  }
  yield `${part}${isGraph ? ']' : ''}}`;
}

/** The whole text of {@link documentChunks}. */
export function documentText(joined: Joined, chosen?: readonly number[]): string {
  return [...documentChunks(joined, chosen)].join('');
}

/**
 * The Server-Sent Event of members of a commit: `event: update`, its id, {@link documentText} on one line, and a blank line.
 *
 * @param id - the cursor that a reader has arrived at with it; empty leaves the reader's as it was
 * @throws {@link StreamError} `ERR_SSE_FIELD_INVALID` - a line break or NUL in the id
 * @see specs/push.md PUSH-3
 */
export function eventText(joined: Joined, id: string, chosen?: readonly number[]): string {
  return formatSseEvent({ event: pushEvents.update, id: id || undefined, data: documentText(joined, chosen) });
}

/**
 * Members of a stream as a document has them: for each the `tree:member` triple, then what is said of it.
 *
 * @see https://treecg.github.io/specification/profile
 */
export function memberQuads(description: StreamDescription, members: readonly Member[]): Quad[] {
  const [stream, link] = [namedNode(description.iri), namedNode(tree.member)];
  return members.flatMap(({ id, quads }) => [quad(stream, link, namedNode(id)), ...quads]);
}

// A line of canonical N-Quads without a graph: no other than a literal's text holds a space, yet IRIs may hold others.
const TRIPLE_LINE = /[^ \n]+ [^ \n]+ (?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"[^ \n]*|[^" \n][^ \n]*) \.\n/y;

function hasGraphs(nquads: string): boolean {
  for (let at = 0; at < nquads.length; at = TRIPLE_LINE.lastIndex) {
    TRIPLE_LINE.lastIndex = at;
    if (!TRIPLE_LINE.test(nquads)) return true;
  }
  return false;
}

/**
 * Writes {@link memberQuads} in a line format. A member whose N-Quads text exists is not read for it.
 *
 * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED` - a named graph in N-Triples
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a term of a member without text that cannot be written
 */
export function writeMembers(
  description: StreamDescription,
  members: readonly Member[],
  format: 'nquads' | 'ntriples',
): string {
  const link = `<${description.iri}> <${tree.member}>`;
  let text = '';
  for (const member of members) {
    const { id, nquads } = member;
    // Text with a named graph takes the way on which N-Triples refuses it.
    const isRead = nquads === undefined || (format === 'ntriples' && hasGraphs(nquads));
    text += isRead ? writeQuads(memberQuads(description, [member]), format, {}) : `${link} <${id}> .\n${nquads}`;
  }
  return text;
}
