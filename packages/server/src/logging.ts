import { writeSync } from 'node:fs';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';

/** As Fastify takes it: options of pino, with the stream to write to, a logger that is there already, or `false`. */
export type LoggerOption = NonNullable<FastifyServerOptions['logger']>;

const STANDARD_ERROR = 2;

/** Lines that standard error did not take, since nobody reads it fast enough, or at all: that stops no server. */
let lostLines = 0;

/** What is left of a line of which a part was taken. */
let rest = Buffer.alloc(0);

function writeLine(line: string): void {
  try {
    if (rest.length > 0) rest = rest.subarray(writeSync(STANDARD_ERROR, rest));
    if (rest.length === 0) {
      const lost = { level: 40, msg: 'lines were lost, since standard error took no more', lines: lostLines };
      const bytes = Buffer.from(lostLines > 0 ? `${JSON.stringify(lost)}\n${line}` : line);
      rest = bytes.subarray(writeSync(STANDARD_ERROR, bytes));
      lostLines = 0;
      return;
    }
  } catch {
    // Told with the next line that is taken.
  }
  lostLines += 1;
}

/** Faults of the server as lines of JSON on standard error, where nothing else is asked for. */
export const DEFAULT_LOGGER: LoggerOption = { level: 'warn', stream: { write: writeLine } };

/** Logs a fault of this side that ends a push stream, or keeps it from beginning. */
export function logPushFault({ log }: Pick<FastifyInstance, 'log'>, error: unknown): void {
  log.error({ err: error }, 'push failed');
}
