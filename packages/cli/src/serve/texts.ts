import type { CliOutput } from '../environment.ts';
import { plainText } from '../terminal.ts';
import type { ServePlan } from './plan.ts';
import type { PreparedStream } from './streams.ts';

/** What is shown of a plan. */
type ShownPlan = Pick<ServePlan, 'publicUrl' | 'store' | 'nats' | 'node'>;
type ShownStream = Pick<PreparedStream, 'description' | 'queries'>;

/**
 * What is shown once a server listens: where it is, what it has, and what to try.
 *
 * @param address - what it listens on, such as `127.0.0.1:3000`
 * @param hasPages - whether it can be opened in a browser
 */
export function startText(
  plan: ShownPlan,
  streams: readonly ShownStream[],
  address: string,
  hasPages: boolean,
): string {
  const { publicUrl } = plan;
  const urls = streams.map(({ description }) => description.url);
  const width = Math.max(...urls.map((url) => url.length));
  const asked = streams.find(({ queries }) => queries !== undefined);
  return [
    `ldes-live publishes ${publicUrl}`,
    placeText(plan, address),
    ...(hasPages ? [`Open ${publicUrl} in a browser to see it.`] : []),
    '',
    ...streams.map(({ description: { url, title } }) => `  ${url.padEnd(width)}  ${title}`),
    '',
    'Read the newest state, or follow it and say only how late an update may be:',
    '',
    `  curl -H 'accept: text/turtle' ${urls[0]}/latest`,
    `  npx ldes-live follow ${urls[0]} --mal 10`,
    '',
    ...(asked ? queryLines(asked.description.url) : []),
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

function placeText({ store, nats, node }: ShownPlan, address: string): string {
  if (store === 'memory') return `It listens on ${address} and keeps its data in memory, for as long as it runs.`;
  if ('path' in store) return `It listens on ${address} and keeps its data in ${store.path}.`;
  const cluster = `as the node ${node} of the cluster at ${store.servers.join(', ')}`;
  return `It listens on ${address}, ${cluster}, and keeps its data in ${nats?.path}.`;
}

/** How a stream that takes queries is asked, by a query that any stream has an answer to. */
function queryLines(url: string): string[] {
  return [
    `Ask it by SPARQL, at ${url}/sparql, or see an answer change:`,
    '',
    `  npx ldes-live query ${url} --mal 10 'SELECT ?type (COUNT(?x) AS ?count) { ?x a ?type } GROUP BY ?type'`,
    '',
  ];
}

/** How many readers may be sent away without a word: it takes no longer than a second. */
const FEW = 100;

/**
 * What is shown when a server begins to stop and that takes a while; nothing otherwise.
 *
 * @param connections - open push connections
 */
export function stopText(connections: number): string {
  if (connections <= FEW) return '';
  return `Stopping: ${connections} readers are sent away one after the other. Interrupt again to stop at once.\n`;
}

const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/**
 * Writes events, which come as lines of JSON, for a person at a terminal:
 * `10:04:05 warn  source failing stream=vehicles code=ERR_FEED_STATUS message="The feed answered 503."`.
 *
 * @see specs/logging.md LOG-6
 */
export function readableLines(terminal: Pick<CliOutput, 'write'>): { write(line: string): void } {
  return {
    write: (line) => {
      const { level, time, msg, err, pid: _, hostname: __, ...fields } = JSON.parse(line);
      const fault = err && err.message !== fields.message ? { err: err.message } : {};
      const shown = Object.entries({ ...fields, ...fault }).map(([key, value]) => `${key}=${valueText(value)}`);
      const at = new Date(time).toTimeString().slice(0, 8);
      terminal.write(`${[at, (LEVELS[level] ?? String(level)).padEnd(5), msg, ...shown].join(' ')}\n`);
    },
  };
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : plainText(JSON.stringify(value));
}
