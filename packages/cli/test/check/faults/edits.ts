import { prov } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { Answer, FaultyServer } from '../faulty-server.ts';
import { say } from '../stream-fixture.ts';

type Quads = readonly Quad[];
type Test = (quad: Quad) => boolean;

/** Statements by a predicate. */
export const by =
  (predicate: string): Test =>
  (quad) =>
    quad.predicate.value === predicate;

/** Statements about a subject by a predicate. */
export const about =
  (subject: string, predicate: string): Test =>
  (quad) =>
    by(predicate)(quad) && quad.subject.value === subject;

/** Statements about a blank node. */
export const label =
  (name: string): Test =>
  (quad) =>
    quad.subject.termType === 'BlankNode' && quad.subject.value === name;

/** The time of a member. */
export const time = (number: number, root: string) => about(`${root}/members/${number}`, prov.generatedAtTime);

/** Without the statements by a predicate. */
export const without = (predicate: string) => (quads: Quads) => quads.filter((quad) => !by(predicate)(quad));

/** With another object in some statements. */
export const replaced = (test: Test, object: Quad['object'] | string) => (quads: Quads) =>
  quads.map((quad) => (test(quad) ? say(quad.subject, quad.predicate.value, object) : quad));

/** With more statements at the end. */
export const plus =
  (...added: Quad[]) =>
  (quads: Quads) => [...quads, ...added];

/** With more statements at the beginning. */
export const first =
  (...added: Quad[]) =>
  (quads: Quads) => [...added, ...quads];

/** Changes what a relation of the root says by a predicate, or leaves it out. */
export function onRelation(
  server: FaultyServer,
  name: string,
  predicate: string,
  object?: Quad['object'] | string,
): void {
  server.says('/s', (quads) =>
    quads.flatMap((quad) => {
      if (!label(name)(quad) || !by(predicate)(quad)) return [quad];
      return object === undefined ? [] : [say(quad.subject, predicate, object)];
    }),
  );
}

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
