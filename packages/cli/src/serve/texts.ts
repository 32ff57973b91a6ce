import type { ServePlan } from './plan.ts';

/**
 * What is shown once a server listens: where it is, what it has, and what to try.
 *
 * @param address - what it listens on, such as `127.0.0.1:3000`
 */
export function startText({ publicUrl, store, streams }: ServePlan, address: string): string {
  const urls = streams.map(({ name }) => `${publicUrl}${name}`);
  const width = Math.max(...urls.map((url) => url.length));
  const asked = streams.findIndex(({ queries }) => queries !== undefined);
  const kept = store === 'memory' ? 'in memory, for as long as it runs' : `in ${store.path}`;
  return [
    `ldes-live publishes ${publicUrl}`,
    `It listens on ${address} and keeps its data ${kept}.`,
    '',
    ...streams.map(({ title }, index) => `  ${(urls[index] as string).padEnd(width)}  ${title}`),
    '',
    'Read the newest state, or follow it and say only how late an update may be:',
    '',
    `  curl -H 'accept: text/turtle' ${urls[0]}/latest`,
    `  npx ldes-live follow ${urls[0]} --mal 10`,
    '',
    ...(asked < 0 ? [] : queryLines(urls[asked] as string)),
    'Ctrl-C stops it.',
    '',
  ].join('\n');
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
