import { readableNodes } from '../evidence/evidence.ts';
import { immutableNodes, mutableNodes } from '../evidence/freshness-facts.ts';
import { isViewByTime } from '../evidence/is-view-by-time.ts';
import type { Rule } from './rule.ts';

/** Beyond which readers get slower, as measured. */
const MOST_MEMBERS = 1000;
/** Below which most of the work is requests. */
const FEWEST_MEMBERS = 20;
const LARGEST_ROOT_BYTES = 256 * 1024;
const MOST_MUTABLE = 3;

/** How large pages are, and how many have to be asked for again. */
export const sizeRules: readonly Rule[] = [
  {
    id: 'CHK-70',
    severity: 'advice',
    title: `A page has ${MOST_MEMBERS} members at most; 100 to 500 are read fastest`,
    source: 'ldes-live, documents DOC-5',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url }, members }) =>
        members.length > MOST_MEMBERS ? [{ url, saw: `${members.length} members` }] : [],
      ),
  },
  {
    id: 'CHK-71',
    severity: 'advice',
    title: `A page that is full has ${FEWEST_MEMBERS} members at least`,
    source: 'ldes-live, documents DOC-5',
    check: (evidence) =>
      immutableNodes(evidence).flatMap(({ document: { url }, members }) =>
        members.length > 0 && members.length < FEWEST_MEMBERS ? [{ url, saw: `${members.length} members` }] : [],
      ),
  },
  {
    id: 'CHK-72',
    severity: 'advice',
    title: 'The root, which every reader polls, is small (256 KiB)',
    source: 'ldes-live, documents DOC-5',
    check: ({ nodes }) => {
      const root = nodes[0]?.document;
      const bytes = Buffer.byteLength(root?.exchange.text ?? '');
      return root && bytes > LARGEST_ROOT_BYTES
        ? [{ url: root.url, saw: `${bytes} bytes, ${nodes[0]?.relations.length} relations` }]
        : [];
    },
  },
  {
    id: 'CHK-73',
    severity: 'advice',
    title: `In a view by time ${MOST_MUTABLE} documents change at most, since pollers ask for all of them`,
    source: 'ldes-live, documents DOC-5',
    check: (evidence) => {
      const changing = mutableNodes(evidence);
      const [root] = evidence.nodes;
      return isViewByTime(evidence) && root && changing.length > MOST_MUTABLE
        ? [{ url: root.document.url, saw: `${changing.length} of the ${evidence.nodes.length} pages read may change` }]
        : [];
    },
  },
];
