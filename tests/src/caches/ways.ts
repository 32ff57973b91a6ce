import process from 'node:process';
import { beforeEach } from 'vitest';
import { type Front, programPath } from './front-process.ts';
import { startNginx } from './nginx-front.ts';
import { startVarnish } from './varnish-front.ts';

/** A way from a client to the publisher. */
export interface Way {
  readonly name: 'straight' | 'nginx' | 'Varnish';
  /** The program that it takes; none straight. */
  readonly program?: string;
  /** Opens the way to a publisher, at a port or at a free one. */
  open(publisher: URL, port?: number): Promise<Front>;
}

/** Every case is run on each of them. */
export const WAYS: readonly Way[] = [
  { name: 'straight', open: async (publisher) => ({ url: publisher.href, close: async () => undefined }) },
  { name: 'nginx', program: 'nginx', open: startNginx },
  { name: 'Varnish', program: 'varnishd', open: startVarnish },
];

/** Whether its program is installed. Where everything has to be, a missing one fails when it is started. */
export function isOpen({ program }: Pick<Way, 'program'>): boolean {
  return program === undefined || process.env.CI === 'true' || programPath(program) !== program;
}

/** Skips, and so reports, the cases of a way whose program is not installed. */
export function skipMissing(...ways: readonly Way[]): void {
  const missing = ways.filter((way) => !isOpen(way)).map(({ program }) => program);
  beforeEach(({ skip }) => skip(missing.length > 0, `not installed: ${missing.join(', ')}`));
}
