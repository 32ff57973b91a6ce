import { writeSync } from 'node:fs';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';

/** As Fastify takes it: options of pino, with the stream to write to, a logger that is there already, or `false`. */
export type LoggerOption = NonNullable<FastifyServerOptions['logger']>;

const STANDARD_ERROR = 2;

/** Faults of the server as lines of JSON on standard error, where nothing else is asked for. */
export const DEFAULT_LOGGER: LoggerOption = {
  level: 'warn',
  stream: {
    write(line: string) {
      try {
        writeSync(STANDARD_ERROR, line);
      } catch {
        // Where nobody can be told, the server goes on.
      }
    },
  },
};

/** Logs a fault of this side that ends a push stream, or keeps it from beginning. */
export function logPushFault({ log }: Pick<FastifyInstance, 'log'>, error: unknown): void {
  log.error({ err: error }, 'push failed');
}
