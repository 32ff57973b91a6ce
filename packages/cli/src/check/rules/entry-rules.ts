import type { Rule } from './rule.ts';

/** The way from the URL that was given to the root of a view. */
export const entryRules: readonly Rule[] = [
  {
    id: 'CHK-1',
    severity: 'error',
    title: 'The URL, and where it leads, answers with a document',
    source: 'LDES, initialization',
    check: ({ way }) =>
      way.flatMap(({ document: { problem, url } }) =>
        problem?.kind === 'unanswered' || problem?.kind === 'status' ? [{ url, saw: problem.saw }] : [],
      ),
  },
  {
    id: 'CHK-2',
    severity: 'error',
    title: 'The root says which stream it is a view of (tree:view)',
    source: 'LDES, initialization',
    check: ({ way }) => {
      const last = way.at(-1);
      if (last === undefined || last.document.problem !== undefined) return [];
      const { entrance, document } = last;
      if (entrance.kind === 'leads') return [{ url: document.url, saw: `its tree:view is <${entrance.to}>` }];
      return entrance.kind === 'none' ? [{ url: document.url, saw: 'no tree:view' }] : [];
    },
  },
  {
    id: 'CHK-3',
    severity: 'error',
    title: 'The root is a view of one stream only',
    source: 'LDES, initialization',
    check: ({ way }) =>
      way.flatMap(({ document: { url }, entrance }) =>
        'streams' in entrance && entrance.streams.length > 1
          ? [{ url, saw: `tree:view of ${entrance.streams.map((iri) => `<${iri}>`).join(' and ')}` }]
          : [],
      ),
  },
  {
    id: 'CHK-4',
    severity: 'error',
    title: 'An overview leads to one view, else the URL of one has to be given',
    source: 'LDES, initialization',
    check: ({ way }) =>
      way.flatMap(({ document: { url }, entrance }) =>
        entrance.kind === 'several'
          ? [{ url, saw: `views ${entrance.views.map((view) => `<${view}>`).join(', ')}` }]
          : [],
      ),
  },
  {
    id: 'CHK-5',
    severity: 'error',
    title: 'The root names itself by its URL after redirects',
    source: 'LDES, initialization; RFC 3986 section 5.1.3',
    check: ({ way }) =>
      way.flatMap(({ document: { url, requestedUrl }, entrance }) =>
        entrance.kind === 'moved' ? [{ url, saw: `its tree:view is <${requestedUrl}>, which redirects here` }] : [],
      ),
  },
];
