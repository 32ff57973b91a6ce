import {
  type CapacityCosts,
  type CapacityQuestion,
  capacityBreakEven,
  capacityMode,
  capacityNeed,
  DEFAULT_CAPACITY_COSTS,
  DEFAULT_CDN_POPS,
  DEFAULT_PAYLOAD_BYTES,
  type Mode,
  usersServed,
} from '@ldes-live/latency';
import type { Cell, Section, Table } from '../report/report.ts';
import { spread } from '../spread.ts';
import { type CapacityRound, perCoreSecond } from './capacity-round.ts';
import { EXAMPLE_PUBLISHERS, type ExamplePublisher } from './example-publishers.ts';
import { PUBLISHED_COSTS, PUBLISHED_INTERVAL_SECONDS, PUBLISHED_USERS } from './published-capacity.ts';
import { sizingCommand, sizingMemoryOptions } from './sizing-command.ts';

/** MALs of the figure, seconds. */
const MALS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** The costs of this machine, by the medians of all rounds, neither mode compressed; the utilisation is the default. */
function costsOf(rounds: readonly CapacityRound[]): CapacityCosts {
  const median = (of: (round: CapacityRound) => number) => spread(rounds.map(of)).median;
  const defined = (of: (round: CapacityRound) => number | undefined, otherwise: number) => {
    const found = rounds.flatMap((round) => of(round) ?? []);
    return found.length === 0 ? otherwise : spread(found).median;
  };
  const overhead = ({ plain, documentBytes }: CapacityRound) => Math.max(0, plain.answerBytes - documentBytes);
  return {
    ...DEFAULT_CAPACITY_COSTS,
    requestsPerSecond: median(({ plain }) => perCoreSecond(plain.cpuMicros)),
    deliveriesPerSecond: median(({ push }) => perCoreSecond(push.cpuMicros)),
    bytesPerStream: defined(({ streamBytes }) => streamBytes, DEFAULT_CAPACITY_COSTS.bytesPerStream),
    bytesPerPoller: defined(({ pollerBytes }) => pollerBytes, DEFAULT_CAPACITY_COSTS.bytesPerPoller),
    bytesPerProcess: defined(({ processBytes }) => processBytes, DEFAULT_CAPACITY_COSTS.bytesPerProcess),
    pollOverheadBytes: median(overhead),
    pollCompression: median((round) =>
      Math.max(1, round.documentBytes / Math.max(1, round.zipped.answerBytes - overhead(round))),
    ),
  };
}

/** Polls in gzip that a core answers a second, which is what most clients ask for. */
function zippedRequestsOf(rounds: readonly CapacityRound[]): number {
  return spread(rounds.map(({ zipped }) => perCoreSecond(zipped.cpuMicros))).median;
}

/** All parts of the report. */
export function capacitySections(rounds: readonly CapacityRound[]): readonly Section[] {
  const costs = costsOf(rounds);
  return [
    costSection(rounds),
    malSection(costs, zippedRequestsOf(rounds)),
    formulaSection(costs),
    examplesSection(costs),
    commandSection(costs),
  ];
}

function costSection(rounds: readonly CapacityRound[]): Section {
  const of = (value: (round: CapacityRound) => number) => spread(rounds.map(value));
  const kibibytes = (value: (round: CapacityRound) => number | undefined): Cell => {
    const found = rounds.flatMap((round) => value(round) ?? []);
    return found.length === 0 ? undefined : spread(found.map((bytes) => bytes / 1024));
  };
  const polled = (name: string, rate: (round: CapacityRound) => CapacityRound['plain']) => [
    name,
    of((round) => rate(round).cpuMicros),
    of((round) => perCoreSecond(rate(round).cpuMicros)),
    of((round) => rate(round).perSecond),
    of((round) => rate(round).answerBytes),
  ];
  const work: Table = {
    caption: 'What a core of the server does in a second that it is fully used',
    columns: ['', 'CPU for each, µs', 'a second of a core', 'a second, as measured', 'bytes on the wire'],
    rows: [
      polled('polls of the latest state', ({ plain }) => plain),
      polled('polls, gzip', ({ zipped }) => zipped),
      [
        'deliveries by push',
        of(({ push }) => push.cpuMicros),
        of(({ push }) => perCoreSecond(push.cpuMicros)),
        undefined,
        of(({ push }) => push.deliveryBytes),
      ],
    ],
  };
  const memory: Table = {
    caption: 'Memory of the server, KiB',
    columns: ['', 'KiB'],
    rows: [
      ['process without connections', kibibytes(({ processBytes }) => processBytes)],
      ['push connection', kibibytes(({ streamBytes }) => streamBytes)],
      ['polling connection, kept open', kibibytes(({ pollerBytes }) => pollerBytes)],
    ],
  };
  return {
    title: 'What a core serves',
    text: [
      'Rates of a core follow from the CPU time of the server, so that they do not depend on how hard the load was. ' +
        'Polls were asked for in a closed loop, each connection when it had been answered, as wrk does; updates were published on ' +
        'a fixed schedule. Memory is resident memory without that of the kernel, from before the first connection to after the last.',
    ],
    tables: [work, memory],
  };
}

function malSection(costs: CapacityCosts, zippedRequestsPerSecond: number): Section {
  const here = questionOf({ ...costs, utilisation: 1 });
  const published = questionOf(PUBLISHED_COSTS);
  const line = (name: string, mode: Mode, question: CapacityQuestion, isDashed: boolean) => ({
    name,
    isDashed,
    points: MALS.map((malSeconds) => ({ x: malSeconds, y: usersServed(mode, { ...question, malSeconds }) })),
  });
  const crossing = capacityBreakEven(here) ?? 0;
  const publishedCrossing = capacityBreakEven(published) as number;
  const zipped = { ...here.costs, requestsPerSecond: zippedRequestsPerSecond };
  const zippedCrossing = capacityBreakEven({ ...here, costs: zipped }) ?? 0;
  return {
    title: 'Capacity against MAL',
    text: [
      crossing > 0
        ? `With an update every ${PUBLISHED_INTERVAL_SECONDS} s, push serves more users below a MAL of ${round(crossing)} s here, and polling above it; ` +
          `published was about 10 s, and ${round(publishedCrossing)} s follows from the published figures.`
        : `With an update every ${PUBLISHED_INTERVAL_SECONDS} s polling serves more users here whatever the MAL, as an answer costs less than a delivery; ` +
          `published was about 10 s.`,
      `Both are not compressed here. Most clients ask for gzip: of such polls a core answers ${round(zippedRequestsPerSecond)} a second instead of ` +
        `${round(costs.requestsPerSecond)}, ${
          zippedCrossing > 0
            ? `which alone would put the crossing at ${round(zippedCrossing)} s`
            : 'which alone makes no crossing'
        }; deliveries in gzip are compressed once for all readers (\`fanout --only gzip\` measures them).`,
      'The crossing is the interval times deliveries a second over requests a second: an interface that answers polls faster moves it to ' +
        'smaller MALs, one that pushes faster or changes more rarely to larger ones. Below the interval both lines follow the MAL, since one update has ' +
        'to reach all within it; above, polling skips updates and push does not.',
    ],
    figures: [
      {
        kind: 'lines',
        id: 'capacity-against-mal',
        title: `Users that a core serves, an update every ${PUBLISHED_INTERVAL_SECONDS} s (formula 1)`,
        x: { label: 'MAL, s', scale: 'log' },
        y: { label: 'users', scale: 'log' },
        series: [
          line('polling', 'pull', here, false),
          line('push', 'push', here, false),
          line('polling, published', 'pull', published, true),
          line('push, published', 'push', published, true),
        ],
        ...(crossing > 0 && {
          marks: [{ axis: 'x' as const, at: crossing, label: `break-even ${round(crossing)} s` }],
        }),
      },
    ],
  };
}

function formulaSection(costs: CapacityCosts): Section {
  const here = questionOf({ ...costs, utilisation: 1 });
  const published = questionOf(PUBLISHED_COSTS);
  return {
    title: 'Formula 1',
    text: [
      'Requests/s that an interface supports >= users / MAL. The first two columns check that this program reckons as the article did, ' +
        'from its 2,520 requests/s; the last has the requests/s of a core here.',
    ],
    tables: [
      {
        caption: 'Polling users of a core by formula 1',
        columns: ['MAL, s', 'published', 'reckoned from the published', 'here'],
        rows: [...PUBLISHED_USERS].map(([malSeconds, users]) => [
          `${malSeconds}`,
          users,
          usersServed('pull', { ...published, malSeconds }),
          usersServed('pull', { ...here, malSeconds }),
        ]),
      },
    ],
  };
}

function examplesSection(costs: CapacityCosts): Section {
  return {
    title: 'Publishers of several sizes',
    text: [
      `Cores of this kind, used to ${costs.utilisation * 100} %, for a state of ${DEFAULT_PAYLOAD_BYTES} bytes, not compressed; bytes sent are those of the long run. ` +
        `The CDN asks for each update once from each of ${DEFAULT_CDN_POPS} places, and passes push on as it is. ` +
        'Processor time alone decides which mode is named, as with the break-even, and where the two differ by less than a fifth either will do; ' +
        'memory and bandwidth stand beside. ' +
        '`ldes-live capacity` reckons the same for other figures.',
    ],
    tables: [
      {
        caption: 'What publishers need',
        columns: [
          'publisher',
          'way',
          'break-even, s',
          'cores',
          'busy cores',
          'memory, MiB',
          'MB/s',
          'less processor time',
        ],
        rows: EXAMPLE_PUBLISHERS.flatMap((publisher) => exampleRows(publisher, costs)),
      },
    ],
  };
}

/** Where the figures go. */
function commandSection(costs: CapacityCosts): Section {
  return {
    title: 'Reckon for your own readers',
    text: [
      `\`${sizingCommand(costs)}\` reckons with these figures: ` +
        'add `--users N --mal SECONDS --every SECONDS` for readers and updates of your own, and ' +
        `\`${sizingMemoryOptions(costs)}\` for the memory of connections.`,
      'Its rates are “a second of a core” of polls of the latest state and of deliveries by push, neither of them compressed. ' +
        '“A second, as measured” is what the load was answered, and goes nowhere.',
    ],
  };
}

function exampleRows(publisher: ExamplePublisher, costs: CapacityCosts): Cell[][] {
  const { name, users, malSeconds, intervalSeconds } = publisher;
  const straight: CapacityQuestion = { ...questionOf(costs), users, malSeconds, intervalSeconds };
  const withCdn = { ...straight, cdnPops: DEFAULT_CDN_POPS };
  const best = { straight: capacityMode(straight), cdn: capacityMode(withCdn) };
  const row = (way: string, mode: Mode, question: CapacityQuestion, bestOf: string | undefined): Cell[] => {
    const { cores, busyCores, memoryBytes, bytesPerSecond = 0 } = capacityNeed(mode, question);
    const breakEven = mode === 'pull' ? capacityBreakEven(question) : undefined;
    const who = `${name}: ${users.toLocaleString('en')} users, MAL ${malSeconds} s`;
    return [who, way, breakEven, cores, busyCores, memoryBytes / 1024 ** 2, bytesPerSecond / 1e6, bestOf];
  };
  const { straight: alone } = best;
  const without = (mode: Mode) =>
    alone.isClose ? 'either, without a CDN' : alone.mode === mode ? 'without a CDN' : undefined;
  return [
    row('push', 'push', straight, without('push')),
    row('polling', 'pull', straight, without('pull')),
    row('polling, CDN', 'pull', withCdn, best.cdn.mode === 'pull' ? 'with a CDN' : undefined),
  ];
}

function questionOf(costs: CapacityCosts): CapacityQuestion {
  return {
    users: 1,
    malSeconds: 1,
    intervalSeconds: PUBLISHED_INTERVAL_SECONDS,
    payloadBytes: DEFAULT_PAYLOAD_BYTES,
    costs,
  };
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}
