import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';

/** A member as a body has it: what is said of one IRI, and of the blank nodes that it refers to. */
export interface PostedMember {
  readonly iri: string;
  /** In the order of the body, all in the default graph. */
  readonly quads: readonly Quad[];
  /** Characters of all terms together. */
  readonly characters: number;
}

/** The statements of a member, and those beside it that are none of its. */
export interface DescribedMember {
  readonly quads: readonly Quad[];
  /** Of blank nodes that it does not refer to. */
  readonly others: readonly Quad[];
}

/**
 * Tells the statements of a member from those of blank nodes that are none of its.
 *
 * @param quads - said of the member, or of blank nodes
 * @throws {@link StreamError} `ERR_POST_BLANK_NODE` - it refers to a blank node of which nothing is said here
 * @see specs/ingest.md ING-11
 */
export function describeMember(iri: string, quads: readonly Quad[]): DescribedMember {
  const ofBlankNodes = new Map<string, Quad[]>();
  const reached: string[] = [];
  for (const quad of quads) {
    if (quad.subject.termType === 'BlankNode') {
      const said = ofBlankNodes.get(quad.subject.value);
      if (said) said.push(quad);
      else ofBlankNodes.set(quad.subject.value, [quad]);
    } else if (quad.object.termType === 'BlankNode') reached.push(quad.object.value);
  }
  if (ofBlankNodes.size === 0 && reached.length === 0) return { quads, others: [] };
  const own = new Set<string>();
  for (let label = reached.pop(); label !== undefined; label = reached.pop()) {
    if (own.has(label)) continue;
    const said = ofBlankNodes.get(label);
    if (!said) throw errors.ERR_POST_BLANK_NODE({ member: iri, label: `_:${label}`, problem: NOTHING_SAID });
    own.add(label);
    for (const { object } of said) if (object.termType === 'BlankNode') reached.push(object.value);
  }
  const isOwn = ({ subject }: Quad) => subject.termType !== 'BlankNode' || own.has(subject.value);
  return { quads: quads.filter(isOwn), others: quads.filter((quad) => !isOwn(quad)) };
}

const NOTHING_SAID = 'is referred to, and nothing is said of it there';
