import { parseArgs } from 'node:util';
import { isStreamError, parseCursor, parseFilter } from '@ldes-live/rdf-stream';
import { HELP, integer, oneOf, parsed, seconds, TEXT, TEXTS, usage } from './option-values.ts';

/** How `follow` prints what it reads. */
type FollowFormat = 'summary' | 'jsonld' | 'nq';

/** What `follow` was asked for. */
export interface FollowCommand {
  readonly kind: 'follow';
  readonly url: string;
  /** The maximum acceptable latency, in seconds. */
  readonly mal: number;
  /** `latest`, `start`, `now` or a cursor; absent when not said. */
  readonly from?: string;
  readonly format: FollowFormat;
  /** After how many changes to end; never when absent. */
  readonly count?: number;
  /** After how many seconds to end; never when absent. */
  readonly timeout?: number;
  /** Path of the file that keeps the position. */
  readonly stateFile?: string;
  /** The part of the stream that is asked for, as the client takes it; all of it when empty. */
  readonly filter: { readonly [Name in 'entity' | 'type' | 'bbox']?: readonly string[] };
}

const FORMATS: readonly FollowFormat[] = ['summary', 'jsonld', 'nq'];

/**
 * Reads the arguments of `ldes-live follow`.
 *
 * @returns `help` where that was asked for
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseFollow(args: string[]): FollowCommand | 'help' {
  const command = 'ldes-live follow';
  const { values, positionals } = parsed(command, () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...HELP,
        mal: TEXT,
        from: TEXT,
        format: TEXT,
        count: TEXT,
        timeout: TEXT,
        state: TEXT,
        entity: TEXTS,
        type: TEXTS,
        bbox: TEXTS,
      },
    }),
  );
  if (values.help) return 'help';
  const [url] = positionals;
  if (url === undefined || positionals.length > 1) throw usage(command, 'Give the URL of one stream.');
  if (values.mal === undefined) throw usage(command, 'Give --mal: how late an update may be, in seconds.');
  return {
    kind: 'follow',
    url,
    mal: seconds(command, values.mal),
    ...(values.from !== undefined && { from: start(command, values.from) }),
    format: oneOf(command, values.format ?? 'summary', FORMATS),
    ...(values.count !== undefined && {
      count: integer(command, '--count', values.count, 1, Number.MAX_SAFE_INTEGER),
    }),
    ...(values.timeout !== undefined && { timeout: seconds(command, values.timeout, '--timeout') }),
    ...(values.state !== undefined && { stateFile: values.state }),
    filter: filterOf(command, values),
  };
}

// A value that is wrong is told before anything is asked for.
function filterOf(command: string, { entity, type, bbox }: FollowCommand['filter']): FollowCommand['filter'] {
  const filter = { ...(entity && { entity }), ...(type && { type }), ...(bbox && { bbox }) };
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(filter)) for (const value of values) query.append(name, value);
  try {
    parseFilter(query, Number.POSITIVE_INFINITY);
    return filter;
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const { name, value, expected } = error.details;
    throw usage(command, `--${name} is "${value}": give ${expected}.`);
  }
}

function start(command: string, text: string): string {
  if (text === 'latest' || text === 'start' || text === 'now') return text;
  try {
    parseCursor(text);
    return text;
  } catch (error) {
    if (!isStreamError(error)) throw error;
    throw usage(command, `--from is "${text}": give latest, start, now, or a cursor such as "k3x9a-42".`);
  }
}
