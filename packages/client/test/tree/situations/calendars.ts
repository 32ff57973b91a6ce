import { type Situation, situation } from './situation.ts';
import { dateTime, type Relation, sealed, span, treePage } from './tree-page.ts';
import { reading, readings } from './water.ts';

const stated = { stream: 'calendar', view: 'calendar', hasContext: true };

const days = {
  '2025-12-31': readings(1, 3, '2025-12-31T20:00:00Z'),
  '2026-01-01': readings(4, 3, '2026-01-01T08:00:00Z'),
  '2026-01-02': readings(7, 3, '2026-01-02T09:00:00Z'),
  '2026-02-10': readings(10, 3, '2026-02-10T09:00:00Z'),
};
const allDays = Object.values(days).flat();

const calendarPages = {
  calendar: treePage({
    ...stated,
    node: 'calendar',
    relations: [
      ...span('calendar/2026', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'),
      ...span('calendar/2025', '2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
    ],
  }),
  'calendar/2025': sealed(
    treePage({
      ...stated,
      node: 'calendar/2025',
      relations: span('calendar/2025-12-31', '2025-12-31T00:00:00Z', '2026-01-01T00:00:00Z'),
    }),
  ),
  'calendar/2026': treePage({
    ...stated,
    node: 'calendar/2026',
    relations: [
      ...span('calendar/2026-02', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'),
      ...span('calendar/2026-01', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
    ],
  }),
  'calendar/2026-01': sealed(
    treePage({
      ...stated,
      node: 'calendar/2026-01',
      relations: [
        ...span('calendar/2026-01-02', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'),
        ...span('calendar/2026-01-01', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
      ],
    }),
  ),
  'calendar/2026-02': treePage({
    ...stated,
    node: 'calendar/2026-02',
    relations: span('calendar/2026-02-10', '2026-02-10T00:00:00Z', '2026-02-11T00:00:00Z'),
  }),
  ...Object.fromEntries(
    Object.entries(days).map(([day, members]) => [
      `calendar/${day}`,
      sealed(treePage({ ...stated, node: `calendar/${day}`, members })),
    ]),
  ),
};

const calendar = situation('a calendar: years, months, days, two bounds to a node', 'calendar', calendarPages, allDays);

// Both bounds of a node have to hold: each alone would let more pages in.
const calendarOfTwoDays = situation(
  'a calendar, of which two days are asked for',
  'calendar',
  calendarPages,
  [...days['2026-01-01'], ...days['2026-01-02']],
  {
    request: { after: '2026-01-01T00:00:00Z', before: '2026-01-03T00:00:00Z' },
    unasked: ['calendar/2025', 'calendar/2025-12-31', 'calendar/2026-02', 'calendar/2026-02-10'],
  },
);

const calendarOfOneHour = situation(
  'a calendar, of which an hour is asked for',
  'calendar',
  calendarPages,
  days['2026-01-02'].slice(1),
  {
    request: { after: '2026-01-02T09:10:00Z', before: '2026-01-02T10:10:00Z' },
    unasked: ['calendar/2025', 'calendar/2026-01-01', 'calendar/2026-02'],
  },
);

function inBetween(): Situation {
  const [early, hour, minute, later, march] = [
    readings(1, 3, '2026-02-25T09:00:00Z'),
    readings(4, 3, '2026-02-26T09:00:00Z', 1 / 4),
    readings(7, 3, '2026-02-26T09:05:00Z', 1 / 4),
    readings(10, 3, '2026-02-26T10:00:00Z'),
    readings(13, 3, '2026-03-25T09:00:00Z'),
  ];
  const page = (node: string, parts: Partial<Parameters<typeof treePage>[0]>) =>
    treePage({ view: 'y', hasContext: true, node, ...parts });
  const within = (to: string, value: string): Relation => ({ to, type: 'InBetween', value });
  return situation(
    'in between: bounds that are years, months, days, and hours and minutes that are no dateTime; one page is slow',
    'stream',
    {
      stream: page('stream', {}),
      y: page('y', { relations: [within('y/2026', '"2026Z"^^xsd:gYear')] }),
      'y/2026': page('y/2026', {
        relations: [
          within('y/2026-02', '"2026-02Z"^^xsd:gYearMonth'),
          within('y/2026-03', '"2026-03+00:00"^^xsd:gYearMonth'),
        ],
      }),
      'y/2026-02': page('y/2026-02', {
        relations: [
          within('y/2026-02-25', '"2026-02-25Z"^^xsd:date'),
          within('y/2026-02-26', '"2026-02-26Z"^^xsd:date'),
        ],
      }),
      'y/2026-02-26': {
        body: page('y/2026-02-26', {
          relations: [within('y/2026-02-26T09', '"2026-02-26T09Z"'), within('y/2026-02-26T10', '"2026-02-26T10Z"')],
        }),
        delayMs: 50,
      },
      'y/2026-02-26T09': page('y/2026-02-26T09', {
        relations: [
          within('y/2026-02-26T09:00', '"2026-02-26T09:00Z"'),
          within('y/2026-02-26T09:05', '"2026-02-26T09:05Z"'),
        ],
      }),
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
  const bound = (to: string, type: string, value: string): Relation => ({ to, type, value });
  return situation(
    'bounds without time zone: dates, and dateTimes, of a publisher whose days are not those of UTC',
    'days',
    {
      days: treePage({
        node: 'days',
        stream: 'days',
        view: 'days',
        hasContext: true,
        relations: [
          bound('days/2', 'GreaterThanOrEqualTo', dateTime('2026-06-02T00:00:00')),
          bound('days/2', 'LessThan', dateTime('2026-06-03T00:00:00')),
          bound('days/1', 'GreaterThanOrEqualTo', '"2026-06-01"^^xsd:date'),
          bound('days/1', 'LessThan', '"2026-06-02"^^xsd:date'),
        ],
      }),
      'days/1': treePage({ node: 'days/1', stream: 'days', members: first }),
      'days/2': treePage({ node: 'days/2', stream: 'days', members: second }),
    },
    [...first, ...second],
  );
}

const wholeWithoutZone = withoutZone();
const nightWithoutZone: Situation = {
  ...wholeWithoutZone,
  name: 'bounds without time zone: an hour at the edge of their days is asked for',
  request: { after: '2026-06-01T22:00:00Z', before: '2026-06-01T23:00:00Z' },
  expected: ['readings/3'],
};

/** Trees by time. */
export const calendarSituations: readonly Situation[] = [
  calendar,
  calendarOfTwoDays,
  calendarOfOneHour,
  inBetween(),
  wholeWithoutZone,
  nightWithoutZone,
];
