import type { Exchange } from '../http/exchange.ts';
import type { CheckedDocument } from './checked-document.ts';
import type { Entrance } from './find-root.ts';
import type { StreamFacts } from './stream-facts.ts';
import type { CheckedNode } from './tree-node.ts';

/** A question about a document that has been read, beside the reading of it. */
export type ProbeKind =
  /** With `If-None-Match`, of the entity tag that the exchange before it had. */
  | 'conditional'
  /** By HEAD. */
  | 'head'
  /** For another format. */
  | 'format'
  /** For two formats, the one that came by itself at a low weight. */
  | 'weights'
  /** With another `Accept-Encoding`. */
  | 'encoding'
  /** The same once more, at the end. */
  | 'again'
  /** As a browser on another site would. */
  | 'cross-origin'
  /** For a document beside it that is not there. */
  | 'unknown';

/** A probe and its answer. */
export interface Probe {
  readonly kind: ProbeKind;
  /** The document that it is about. */
  readonly about: CheckedDocument;
  /** The answer, read as a document. */
  readonly answer: CheckedDocument;
}

/** A push endpoint and how it answered. */
export interface PushProbe {
  /** Where it is stated. */
  readonly statedBy: string;
  readonly exchange: Exchange;
}

/** All that a check has seen: what the rules judge. */
export interface Evidence {
  /** What was given. */
  readonly iri: string;
  /** The documents on the way to the root, and the root as the last; more than one only where the first leads on. */
  readonly way: readonly { readonly document: CheckedDocument; readonly entrance: Entrance }[];
  /** Absent where no root was found. */
  readonly stream?: StreamFacts;
  /** The nodes that were read, the root first. */
  readonly nodes: readonly CheckedNode[];
  /** How many nodes are known, read or not. */
  readonly knownNodes: number;
  readonly probes: readonly Probe[];
  readonly push: readonly PushProbe[];
  /** The answers by 429 and 503. */
  readonly refusals: readonly Exchange[];
}

/** The nodes that could be read. */
export function readableNodes(evidence: Evidence): CheckedNode[] {
  return evidence.nodes.filter(({ document }) => document.problem === undefined);
}
