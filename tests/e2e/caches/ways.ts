import process from 'node:process';
import { type Front, programPath, startNginx, startVarnish } from '@ldes-live/bench/fronts';
import { beforeEach } from 'vitest';

/** A way from a client to the publisher. */
export interface Way {
  readonly name: 'straight' | 'nginx' | 'Varnish';
  /** The program that it takes; none straight. */
  readonly program?: string;
  /** Opens the way to a publisher, at a port or at a free one. */
  open(publisher: URL, port?: number): Promise<Pick<Front, 'url' | 'close'>>;
}

/** Every case is run on each of them. */
export const WAYS: readonly Way[] = [
  { name: 'straight', open: async (publisher) => ({ url: publisher.href, close: async () => undefined }) },
  { name: 'nginx', program: 'nginx', open: (publisher, port) => startNginx(publisher, { port }) },
  { name: 'Varnish', program: 'varnishd', open: (publisher, port) => startVarnish(publisher, { port }) },
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
