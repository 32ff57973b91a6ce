import { numberText } from '../report/number-text.ts';
import type { Cell, Section } from '../report/report.ts';
import { capacityFigure } from './capacity-figure.ts';
import type { CrossingSize } from './e1-plan.ts';
import { AGREEMENT, type Crossing, type PushedClients } from './judge-crossing.ts';

/** Where pulling and pushing cross, by formula 1 and by what was found. */
export function crossingSection(
  crossings: readonly Crossing[],
  pushed: readonly { readonly server: string; readonly clients: PushedClients }[],
  { clients, pauseMs, roundMs }: CrossingSize,
): Section {
  const isAtLeast = crossings.some((crossing) => crossing.isAtLeast);
  const atLeast = isAtLeast ? ' (at least)' : '';
  return {
    title: 'Where pulling and pushing cross',
    text: [
      `Formula 1 of the article: a server that answers R requests a second serves R × MAL clients that ask once every MAL. R is what one core answers ${numberText(clients)} clients that each ask again ${pauseMs > 0 ? `${pauseMs} ms after` : 'as soon as'} they are answered (closed-loop, as the article’s wrk${pauseMs > 0 ? ', but as many as fill it even so: to serve the same few again and again costs a cache less' : ''}), for ${roundMs / 1000} s; cache and server share that core. R is the harmonic mean of the tenths of that time: who waits asks less while answers are slow, as they are around an update, and clients that ask by the clock do not. Pushing serves no more clients with a longer MAL, once all of them have every update within it: the crossing is where both serve as many, and with a longer MAL polling serves more than were pushed to.`,
      ...pushed.map(({ server, clients }) => pushedText(server, clients)),
      `To see whether that is so, the same ${numberText(clients)} clients ask as seldom as at 1.1 and as often as at 0.9 of their own crossing, from a second before an update to a second before the next, each at instants of its own that do not wait for answers (open-loop): at 1.1 the server has to keep up (at most 2 % unanswered at the end), or else at 1.2; at 0.9 it must not, or else at 0.8. The most that it serves gives the crossing that is found. They agree where, in most repeats that count, the server kept up above the crossing and not below it, and the median of what is found is within ${AGREEMENT * 100} % of formula 1. How late answers are is told beside: around an update, requests pile up before a cache has the new document.`,
      ...(isAtLeast
        ? [
            'Pushing was not full with the most clients that were tried, so that where the two really cross is not known: the crossing is that of these clients, and a lower bound. What agrees or differs is formula 1 at that point. `ldes-live capacity` reckons with what pushing costs.',
          ]
        : []),
      ...crossings.filter(({ clients }) => clients !== undefined).map(verdictText),
      'The article found 2,520 requests a second through nginx, and pushed to 25,000: a crossing at 10 s.',
    ],
    figures: [capacityFigure(crossings, pushed)],
    tables: [
      {
        caption: 'Requests a second of one core, and the crossing',
        columns: [
          'Way',
          'Repeats that count',
          'Requests/s',
          `Clients${atLeast}`,
          `Crossing by formula 1, s${atLeast}`,
          `Found, s${atLeast}`,
          'Found / formula',
          'Verdict',
        ],
        rows: crossings.map(row),
      },
      {
        caption: `Asked near the crossing, open-loop, by ${numberText(clients)} clients each so much more often`,
        columns: ['Way and period', 'Asked/s', 'Served/s', 'p99 of the answers, s', 'Kept up in'],
        rows: crossings.flatMap((crossing) =>
          crossing.rates.map(({ part, askedPerSecond, servedPerSecond, p99Seconds, kept, repeats }) => [
            `${nameOf(crossing)}, ${part} of the crossing`,
            askedPerSecond,
            servedPerSecond,
            p99Seconds,
            `${kept} of ${repeats}`,
          ]),
        ),
      },
    ].filter(({ rows }) => rows.length > 0),
  };
}

function row(crossing: Crossing): readonly Cell[] {
  const { requestsPerSecond, clients, foretoldSeconds, foundSeconds, agreement, verdict, why } = crossing;
  return [
    nameOf(crossing),
    `${crossing.counted} of ${crossing.repeats}`,
    requestsPerSecond,
    clients,
    foretoldSeconds,
    foundSeconds,
    agreement,
    why === undefined ? verdict : `${verdict}: ${why}`,
  ];
}

function verdictText(crossing: Crossing): string {
  const { verdict, why } = crossing;
  return `${nameOf(crossing)}: ${verdict}${why === undefined ? '' : ` (${why})`}.`;
}

function pushedText(server: string, { clients, isAtLeast, steps }: PushedClients): string {
  const most = isAtLeast ? 'and more were not tried' : 'and not to more of those that were tried';
  const longest = numberText(steps.at(-1)?.longestSeconds ?? 0);
  return `${server} pushed to ${numberText(clients)} clients, each of which had every update before the next one in every repeat, ${most}. The longest that an update took was ${longest} s: clients whose MAL is shorter are served only as fewer, of which the figure has those that were tried.`;
}

function nameOf({ server, between }: Crossing): string {
  return `${server}, ${between === 'straight' ? between : `by ${between}`}`;
}
