import { errors } from '../errors.ts';
import type { StreamDocument } from '../http/document.ts';
import { discoverTree, type TreeRoot } from './discover-tree.ts';
import { readNode } from './read-node.ts';
import type { Dimension } from './reading.ts';
import { TreeReading } from './tree-reading.ts';
import type { TreeMeans, TreeRequest } from './tree-request.ts';
import { checkTreeState } from './tree-state.ts';

/** What the reading of an LDES begins with. */
export interface TreeOpening extends TreeMeans {
  /** As it was given: of the stream, of its root, of what redirects there, or of an overview. */
  readonly url: string;
  /** What `url` answered. */
  readonly root: StreamDocument;
  readonly request: Pick<TreeRequest, 'from' | 'state'> & {
    /** Whether members are handed out by their time or sequence. */
    readonly order: 'ascending' | 'none' | undefined;
    /** Only members of this time or later, an `xsd:dateTime` that was checked. */
    readonly after: string | undefined;
    /** Only members of an earlier time, an `xsd:dateTime` that was checked. */
    readonly before: string | undefined;
  };
  /** Ends the opening. */
  readonly signal: AbortSignal;
}

/**
 * Begins or goes on with the reading of any LDES.
 *
 * @throws {@link StreamError} `ERR_TREE_VIEW_MISSING`, `ERR_TREE_VIEW_AMBIGUOUS` - no one root is found from there
 * @throws {@link StreamError} `ERR_TREE_ORDER_UNKNOWN` - members are asked for in order, and the stream states none
 * @throws {@link StreamError} `ERR_TREE_TIME_UNKNOWN` - members of a time are asked for, and the stream states none
 * @throws {@link StreamError} `ERR_TREE_STATE_INVALID` - the state is not one of this kind; those of `readDocument`
 */
export async function openTree(opening: TreeOpening): Promise<TreeReading> {
  const { http, url, root, request, signal } = opening;
  if (request.state !== undefined) checkTreeState(request.state);
  const afterMs = request.after === undefined ? Number.NEGATIVE_INFINITY : Date.parse(request.after);
  const beforeMs = request.before === undefined ? Number.POSITIVE_INFINITY : Date.parse(request.before);
  const found = await discoverTree(http, url, root, signal);
  const { stream, timestampPath } = found.context;
  if (!timestampPath && (request.after ?? request.before) !== undefined) throw errors.ERR_TREE_TIME_UNKNOWN({ stream });
  const dimension = dimensionOf(found);
  const isAscending = request.order === 'ascending';
  if (isAscending && !dimension) throw errors.ERR_TREE_ORDER_UNKNOWN({ stream });
  const { from, state } = request;
  const checked: TreeRequest = { from, state, dimension, isAscending, afterMs, beforeMs };
  return new TreeReading(opening, found, checked);
}

// By time where there is one, unless the tree is laid out by sequence.
function dimensionOf({ context, document, url }: TreeRoot): Dimension | undefined {
  if (!context.sequencePath) return context.timestampPath && 'time';
  if (!context.timestampPath) return 'sequence';
  const { links } = readNode(document.index, [document.url, url], context);
  const isBounded = (dimension: Dimension) =>
    links.some(({ bounds }) => Number.isFinite(bounds[dimension].low) || Number.isFinite(bounds[dimension].high));
  return isBounded('sequence') && !isBounded('time') ? 'sequence' : 'time';
}
