import { parseArgs } from 'node:util';
import { HELP, integer, parsed, TEXT, usage } from './option-values.ts';

/** What `serve` was asked for. */
export interface ServeCommand {
  readonly kind: 'serve';
  /** Path of the configuration; the demonstration when absent. */
  readonly configFile?: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly host: string;
  /** How many processes hold the push connections; the one that has the logs when absent. */
  readonly workers?: number;
  /** Where it is to have no web pages, whatever the configuration says. */
  readonly web?: false;
}

/** More processes than any machine has processors for. */
const MOST_WORKERS = 256;

/**
 * Reads the arguments of `ldes-live serve`.
 *
 * @returns `help` where that was asked for
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseServe(args: string[]): ServeCommand | 'help' {
  const command = 'ldes-live serve';
  const { values, positionals } = parsed(command, () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...HELP,
        demo: { type: 'boolean' },
        port: TEXT,
        host: TEXT,
        workers: TEXT,
        'no-web': { type: 'boolean' },
      },
    }),
  );
  if (values.help) return 'help';
  const [configFile] = positionals;
  if (positionals.length > 1) throw usage(command, `One configuration can be served, not ${positionals.length}.`);
  if (values.demo === true && configFile !== undefined) {
    throw usage(command, `Both ${configFile} and --demo were given: choose one.`);
  }
  if (!values.demo && configFile === undefined) throw usage(command, 'Give a configuration file, or --demo.');
  return {
    kind: 'serve',
    ...(configFile !== undefined && { configFile }),
    port: integer(command, '--port', values.port ?? '3000', 0, 65_535),
    host: values.host ?? '127.0.0.1',
    ...(values['no-web'] && { web: false }),
    ...(values.workers !== undefined && { workers: integer(command, '--workers', values.workers, 1, MOST_WORKERS) }),
  };
}
