import {
  dateTime,
  iri,
  plain,
  type Relation,
  readings,
  type Situation,
  sealed,
  situation,
  type TreePage,
  treePage,
} from './situation.ts';

const OVERVIEW = treePage({ node: 'stream', view: 'pages/a', hasContext: true });

const atLeast = (to: string, time: string): Relation => ({ to, type: 'GreaterThanOrEqualTo', value: dateTime(time) });
const lessThan = (to: string, time: string): Relation => ({ to, type: 'LessThan', value: dateTime(time) });

const [SEVEN, EIGHT] = ['2026-03-02T07:00:00Z', '2026-03-02T08:00:00Z'];

/** Three pages in order of time, each leads on and back; all may state what the overview does, and two that they are final. */
function inOrder(name: string, isStated: boolean): Situation {
  const [first, second, third] = [readings(1, 3, '2026-03-02T06:00:00Z'), readings(4, 3, SEVEN), readings(7, 6, EIGHT)];
  const page = (node: string, parts: Partial<TreePage>) =>
    treePage({ node, ...parts, ...(isStated && { view: 'pages/a', hasContext: true }) });
  const start = page('pages/a', { members: first, relations: [atLeast('pages/b', SEVEN)] });
  // It says so itself, and no header does.
  const more = isStated ? { more: `<${iri('pages/b')}> ldes:immutable true .` } : {};
  const relations = [lessThan('pages/a', SEVEN), atLeast('pages/c', EIGHT)];
  const pages = {
    stream: OVERVIEW,
    'pages/a': isStated ? sealed(start) : start,
    'pages/b': page('pages/b', { members: second, relations, ...more }),
    'pages/c': page('pages/c', { members: third, relations: [lessThan('pages/b', EIGHT)] }),
  };
  return situation(name, 'stream', pages, [...first, ...second, ...third]);
}

function linkedList(): Situation {
  const [newest, middle, oldest] = [
    readings(7, 3, '2026-03-04T06:00:00Z', 60),
    readings(4, 3, '2026-03-03T06:00:00Z', 60),
    readings(1, 3, '2026-03-02T06:00:00Z', 60),
  ];
  const stated = { stream: 'list', view: 'list', hasContext: true };
  return situation(
    'linked list: newest first, relations that say nothing, the stream is its own root',
    'list',
    {
      list: treePage({ ...stated, node: 'list', members: newest, relations: plain('list/2') }),
      'list/2': treePage({ ...stated, node: 'list/2', members: middle, relations: plain('list/3') }),
      'list/3': sealed(treePage({ ...stated, node: 'list/3', members: oldest })),
    },
    [...oldest, ...middle, ...newest],
  );
}

function reverse(): Situation {
  const [newest, middle, oldest] = [
    readings(10, 3, '2026-03-04T06:00:00Z'),
    readings(7, 3, '2026-03-03T06:00:00Z', 300),
    readings(1, 6, '2026-03-02T06:00:00Z', 120),
  ];
  const [endOfThird, endOfSecond] = ['2026-03-03T23:59:59.999Z', '2026-03-02T23:59:59.999Z'];
  const stated = { view: 'pages/a', hasContext: true };
  return situation(
    'reverse: the root has the newest, relations lead back in time, members stand in any order on a page',
    'stream',
    {
      stream: OVERVIEW,
      'pages/a': treePage({
        node: 'pages/a',
        members: newest,
        relations: [{ to: 'pages/b', type: 'LessThanOrEqualTo', value: dateTime(endOfThird) }],
      }),
      'pages/b': sealed(
        treePage({
          ...stated,
          node: 'pages/b',
          members: middle.toReversed(),
          relations: [
            { to: 'pages/c', type: 'LessThanOrEqualTo', value: dateTime(endOfSecond) },
            { to: 'pages/a', type: 'GreaterThan', value: dateTime(endOfThird) },
          ],
        }),
      ),
      'pages/c': treePage({
        ...stated,
        node: 'pages/c',
        members: oldest,
        relations: [{ to: 'pages/b', type: 'GreaterThan', value: dateTime(endOfSecond) }],
      }),
    },
    [...oldest, ...middle, ...newest],
  );
}

function cycle(): Situation {
  const [first, second, third] = [readings(1, 2, '2026-03-02T06:00:00Z'), readings(3, 2, SEVEN), readings(5, 2, EIGHT)];
  const page = (node: string, members: typeof first, relations: Relation[]) =>
    sealed(treePage({ node, members, relations, view: 'pages/a', hasContext: true }));
  return situation(
    'a circle: a node that leads to itself, one that leads to the root, one that is linked twice',
    'pages/a',
    {
      'pages/a': page('pages/a', first, plain('pages/a', 'pages/b', 'pages/c')),
      'pages/b': page('pages/b', second, plain('pages/c', 'pages/a')),
      'pages/c': page('pages/c', third, plain('pages/a', 'pages/b')),
    },
    [...first, ...second, ...third],
    { isFinished: true },
  );
}

/** Pages one after the other. */
export const lineSituations: readonly Situation[] = [
  inOrder('linear: an overview, pages that lead on and back, only the last may change', true),
  inOrder('minimal view: only the overview says what the stream is, the pages have members and relations alone', false),
  linkedList(),
  reverse(),
  cycle(),
];
