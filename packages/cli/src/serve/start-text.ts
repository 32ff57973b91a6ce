import type { ServePlan } from './serve-plan.ts';

/**
 * What is shown once a server listens: where it is, what it has, and what to try.
 *
 * @param address - what it listens on, such as `127.0.0.1:3000`
 */
export function startText({ publicUrl, store, streams }: ServePlan, address: string): string {
  const urls = streams.map(({ name }) => `${publicUrl}${name}`);
  const width = Math.max(...urls.map((url) => url.length));
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
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}
