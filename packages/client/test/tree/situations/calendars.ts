import {
  type Relation,
  reading,
  readings,
  rootPage,
  type Situation,
  sealed,
  situation,
  span,
  type TreePage,
  treePage,
} from './situation.ts';

const days = {
  '2025-12-31': readings(1, 3, '2025-12-31T20:00:00Z'),
  '2026-01-01': readings(4, 3, '2026-01-01T08:00:00Z'),
  '2026-01-02': readings(7, 3, '2026-01-02T09:00:00Z'),
  '2026-02-10': readings(10, 3, '2026-02-10T09:00:00Z'),
};

const stated = { stream: 'calendar', view: 'calendar', hasContext: true };

/** A node of the calendar, with what is below it, from which day until which. */
const above = (node: string, ...below: readonly (readonly [name: string, from: string, until: string])[]) => {
  const relations = below.flatMap(([name, from, until]) =>
    span(`calendar/${name}`, `${from}T00:00:00Z`, `${until}T00:00:00Z`),
  );
  return treePage({ ...stated, node, relations });
};

const calendarPages = {
  calendar: above('calendar', ['2026', '2026-01-01', '2027-01-01'], ['2025', '2025-01-01', '2026-01-01']),
  'calendar/2025': sealed(above('calendar/2025', ['2025-12-31', '2025-12-31', '2026-01-01'])),
  'calendar/2026': above(
    'calendar/2026',
    ['2026-02', '2026-02-01', '2026-03-01'],
    ['2026-01', '2026-01-01', '2026-02-01'],
  ),
  'calendar/2026-01': sealed(
    above('calendar/2026-01', ['2026-01-02', '2026-01-02', '2026-01-03'], ['2026-01-01', '2026-01-01', '2026-01-02']),
  ),
  'calendar/2026-02': above('calendar/2026-02', ['2026-02-10', '2026-02-10', '2026-02-11']),
  ...Object.fromEntries(
    Object.entries(days).map(([day, members]) => [
      `calendar/${day}`,
      sealed(treePage({ ...stated, node: `calendar/${day}`, members })),
    ]),
  ),
};

/** The calendar of which a time is asked for; the nodes of other times are not. */
const calendar = (name: string, members: readonly { readonly path: string }[], others: Partial<Situation> = {}) =>
  situation(name, 'calendar', calendarPages, members, others);

function inBetween(): Situation {
  const [early, hour, minute, later, march] = [
    readings(1, 3, '2026-02-25T09:00:00Z'),
    readings(4, 3, '2026-02-26T09:00:00Z', 1 / 4),
    readings(7, 3, '2026-02-26T09:05:00Z', 1 / 4),
    readings(10, 3, '2026-02-26T10:00:00Z'),
    readings(13, 3, '2026-03-25T09:00:00Z'),
  ];
  const page = (node: string, parts: Partial<TreePage>) => treePage({ view: 'y', hasContext: true, node, ...parts });
  const within = (below: Readonly<Record<string, string>>): { relations: Relation[] } => ({
    relations: Object.entries(below).map(([name, value]) => ({ to: `y/${name}`, type: 'InBetween', value })),
  });
  const hours = page(
    'y/2026-02-26',
    within({ '2026-02-26T09': '"2026-02-26T09Z"', '2026-02-26T10': '"2026-02-26T10Z"' }),
  );
  const minutes = within({ '2026-02-26T09:00': '"2026-02-26T09:00Z"', '2026-02-26T09:05': '"2026-02-26T09:05Z"' });
  return situation(
    'in between: bounds that are years, months, days, and hours and minutes that are no dateTime; one page is slow',
    'stream',
    {
      stream: page('stream', {}),
      y: page('y', within({ 2026: '"2026Z"^^xsd:gYear' })),
      'y/2026': page(
        'y/2026',
        within({ '2026-02': '"2026-02Z"^^xsd:gYearMonth', '2026-03': '"2026-03+00:00"^^xsd:gYearMonth' }),
      ),
      'y/2026-02': page(
        'y/2026-02',
        within({ '2026-02-25': '"2026-02-25Z"^^xsd:date', '2026-02-26': '"2026-02-26Z"^^xsd:date' }),
      ),
      'y/2026-02-26': { body: hours, delayMs: 50 },
      'y/2026-02-26T09': page('y/2026-02-26T09', minutes),
      'y/2026-02-25': page('y/2026-02-25', { members: early }),
      'y/2026-02-26T09:00': page('y/2026-02-26T09:00', { members: hour }),
      'y/2026-02-26T09:05': page('y/2026-02-26T09:05', { members: minute }),
      'y/2026-02-26T10': page('y/2026-02-26T10', { members: later }),
      'y/2026-03': page('y/2026-03', { members: march }),
    },
    [...early, ...hour, ...minute, ...later, ...march],
  );
}

function withoutZone(): Situation {
  // The publisher's clock is two hours ahead of UTC: the days it bounds begin before those of UTC.
  const [first, second] = [
    [reading(1, '2026-05-31T22:30:00Z'), reading(2, '2026-06-01T21:30:00Z')],
    [reading(3, '2026-06-01T22:30:00Z'), reading(4, '2026-06-02T12:00:00Z')],
  ];
  const relations = [
    ...span('days/2', '2026-06-02T00:00:00', '2026-06-03T00:00:00'),
    { to: 'days/1', type: 'GreaterThanOrEqualTo', value: '"2026-06-01"^^xsd:date' },
    { to: 'days/1', type: 'LessThan', value: '"2026-06-02"^^xsd:date' },
  ];
  return situation(
    'bounds without time zone: dates, and dateTimes, of a publisher whose days are not those of UTC',
    'days',
    {
      days: rootPage('days', { stream: 'days', relations }),
      'days/1': treePage({ node: 'days/1', stream: 'days', members: first }),
      'days/2': treePage({ node: 'days/2', stream: 'days', members: second }),
    },
    [...first, ...second],
  );
}

/** Trees by time. */
export const calendarSituations: readonly Situation[] = [
  calendar('a calendar: years, months, days, two bounds to a node', Object.values(days).flat()),
  // Both bounds of a node have to hold: each alone would let more pages in.
  calendar('a calendar, of which two days are asked for', [...days['2026-01-01'], ...days['2026-01-02']], {
    request: { after: '2026-01-01T00:00:00Z', before: '2026-01-03T00:00:00Z' },
    unasked: ['calendar/2025', 'calendar/2025-12-31', 'calendar/2026-02', 'calendar/2026-02-10'],
  }),
  calendar('a calendar, of which an hour is asked for', days['2026-01-02'].slice(1), {
    request: { after: '2026-01-02T09:10:00Z', before: '2026-01-02T10:10:00Z' },
    unasked: ['calendar/2025', 'calendar/2026-01-01', 'calendar/2026-02'],
  }),
  inBetween(),
  withoutZone(),
  {
    ...withoutZone(),
    name: 'bounds without time zone: an hour at the edge of their days is asked for',
    request: { after: '2026-06-01T22:00:00Z', before: '2026-06-01T23:00:00Z' },
    expected: ['readings/3'],
  },
];
