import type { Answer, FaultyServer } from '../faulty-server.ts';

/** With another value of a header field, or without it. */
export const field = (name: string, value?: string) => (answer: Answer) => {
  if (value === undefined) delete answer.fields[name];
  else answer.fields[name] = value;
};

/** With another Cache-Control. */
export const caching = (value: string) => field('cache-control', value);

/** With a word on freshness at most, and none on the next update. */
export const unscheduled = (value?: string) => (answer: Answer) => {
  for (const name of ['expires', 'next-update', 'cache-control']) delete answer.fields[name];
  if (value !== undefined) answer.fields['cache-control'] = value;
};

/** Makes one answer another. */
export function becomes(answer: Answer, other: Answer): void {
  Object.assign(answer, other);
}

/** Makes a path redirect, with a Location or without. */
export function redirects(server: FaultyServer, path: string, location?: string): void {
  server.handles(path, (response) => response.writeHead(302, location === undefined ? {} : { location }).end());
}
