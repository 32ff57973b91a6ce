import type { FollowOptions } from '../../../src/index.ts';

/** What a publisher answers at one path. */
export interface Answer {
  /** @defaultValue 200 */
  readonly status?: number;
  /** @defaultValue text/turtle */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long it takes, in milliseconds. */
  readonly delayMs?: number;
}

/** An LDES as somebody publishes it, and what reading it whole has to bring. */
export interface Situation {
  readonly name: string;
  /** The path that a reader is given. */
  readonly entry: string;
  readonly pages: ReadonlyMap<string, Answer>;
  /** Paths of the members, by publication time where the stream has one. */
  readonly expected: readonly string[];
  /** Whether it can be read in order: then `expected` is that order. */
  readonly isOrdered: boolean;
  /** Whether no page can change any more, so that the reading ends. */
  readonly isFinished: boolean;
  /** How many quads members have, by path, where that is the point. */
  readonly quads?: Readonly<Record<string, number>>;
  /** What else to ask for. */
  readonly request?: Pick<FollowOptions, 'after' | 'before'>;
  /** Paths that must not be asked for, as they hold nothing that was asked for. */
  readonly unasked?: readonly string[];
  /** The code of the error that the reading ends with. */
  readonly refused?: string;
}

/** What IRIs begin with in the pages: the server puts the address of the situation in its place. */
export const ORIGIN = 'http://origin.example';

/** The IRI of a path of the situation. */
export function iri(path: string): string {
  return `${ORIGIN}/${path}`;
}

/** A situation from what sets it apart; by default it is read whole, can be ordered, and is not finished. */
export function situation(
  name: string,
  entry: string,
  pages: Readonly<Record<string, Answer | string>>,
  members: readonly { readonly path: string }[],
  others: Partial<Situation> = {},
): Situation {
  const answers = Object.entries(pages).map(([path, answer]): [string, Answer] => [
    path,
    typeof answer === 'string' ? { body: answer } : answer,
  ]);
  return {
    name,
    entry,
    pages: new Map(answers),
    expected: members.map(({ path }) => path),
    isOrdered: true,
    isFinished: false,
    ...others,
  };
}
