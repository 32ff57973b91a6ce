import type { Asked, Experiment } from '../experiment.ts';
import { makeReport } from '../report/make-report.ts';
import { e4Found } from './e4-found.ts';
import { expectedSeconds, LIMIT_CLIENTS, MEASUREMENTS, planOf } from './e4-plan.ts';
import { measureE4 } from './measure-e4.ts';
import { REPLY_BYTES, REQUEST_BYTES } from './messages.ts';

const WORDS = {
  name: 'e4',
  title: 'Very many subjects: publish/subscribe with request and reply',
  about:
    'Each client follows a subject of its own. Updates of single subjects, and requests that providers answer to the subject of who asked, come at growing rates until 99 % of them no longer come within 130 ms.',
  source:
    'MigratoryData, "A scalable alternative to RESTful communication", http://highscalability.com/blog/2016/12/13/a-scalable-alternative-to-restful-communication-mimicking-go.html',
} as const;

/** The experiment `e4`: a subject for each client, and round trips of request and reply. */
export const E4: Experiment = {
  name: WORDS.name,
  about: 'a subject for each client: updates, requests and replies with a p99 below 130 ms',
  measurements: MEASUREMENTS,
  options: ['clients', 'duration', 'repeat'],
  expectedSeconds,
  run: async (asked, edge) => {
    const startedAtMs = edge.clock();
    const plan = planOf(asked);
    const runs = await measureE4(asked, plan, edge);
    const { warnings, ...found } = e4Found(runs, plan);
    const {
      clients,
      durableClients,
      repeats: _,
      seconds,
      warmUpCount,
      settleMs,
      providers,
      postConnections,
      ...rates
    } = plan;
    const rate = (kind: keyof typeof rates) => `${rates[kind].firstRate} to ${rates[kind].limitRate}`;
    return makeReport(WORDS, asked, edge, startedAtMs, {
      ...found,
      warnings: [...tooMany(asked), ...warnings],
      workload: {
        clients,
        'clients with logs on disk': durableClients,
        'seconds of a rate': seconds,
        'requests or updates before what counts': warmUpCount,
        'milliseconds until memory is looked at': settleMs,
        providers,
        'connections to post by, of users and of providers': postConnections,
        'request bytes': REQUEST_BYTES,
        'reply and update bytes': REPLY_BYTES,
        'updates a second': rate('updates'),
        'requests a second': rate('requests'),
        'requests a second with logs on disk': rate('durable'),
      },
      data: { plan, runs },
    });
  },
};

function tooMany({ clients = [] }: Asked): string[] {
  const left = clients.filter((count) => count > LIMIT_CLIENTS);
  return left.length === 0
    ? []
    : [`One process connects ${LIMIT_CLIENTS} clients at most: left out were ${left.join(', ')}.`];
}
