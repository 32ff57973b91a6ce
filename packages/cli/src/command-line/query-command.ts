import { parseArgs } from 'node:util';
import type { EngineName } from '@ldes-live/query/http';
import { parseDuration } from '../config/duration.ts';
import { HELP, integer, parsed, seconds, TEXT, usage } from './option-values.ts';

/** What `query` was asked for. */
export interface QueryCommand {
  readonly kind: 'query';
  /** Of the streams, one or more. */
  readonly urls: readonly string[];
  readonly sparql: string;
  /** The maximum acceptable latency, in seconds. */
  readonly mal: number;
  /** The length of the time window to ask over, in milliseconds; the latest state when absent. */
  readonly windowMs?: number;
  /** What answers; Comunica when absent. */
  readonly engine?: EngineName;
  /** After how many results to end; never when absent. */
  readonly count?: number;
}

/**
 * Reads the arguments of `ldes-live query`.
 *
 * @returns `help` where that was asked for
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseQuery(args: string[]): QueryCommand | 'help' {
  const command = 'ldes-live query';
  const { values, positionals } = parsed(command, () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: { ...HELP, mal: TEXT, window: TEXT, count: TEXT, engine: TEXT },
    }),
  );
  if (values.help) return 'help';
  const sparql = positionals.at(-1);
  if (sparql === undefined || positionals.length < 2) {
    throw usage(command, 'Give the URL of a stream, and a query in quotes.');
  }
  if (values.mal === undefined) throw usage(command, 'Give --mal: how old an answer may be, in seconds.');
  return {
    kind: 'query',
    urls: positionals.slice(0, -1),
    sparql,
    mal: seconds(command, values.mal),
    ...(values.window !== undefined && { windowMs: duration(command, values.window) }),
    ...(values.engine !== undefined && { engine: engine(command, values.engine) }),
    ...(values.count !== undefined && {
      count: integer(command, '--count', values.count, 1, Number.MAX_SAFE_INTEGER),
    }),
  };
}

function engine(command: string, text: string): EngineName {
  if (text === 'comunica' || text === 'oxigraph') return text;
  throw usage(command, `--engine is "${text}": give comunica or oxigraph.`);
}

function duration(command: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw usage(command, `--window is "${text}": give a length of time above 0, such as 60s, 5m or 1h.`);
}
