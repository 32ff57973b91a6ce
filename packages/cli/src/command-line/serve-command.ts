import { parseArgs } from 'node:util';
import { isNatsUrl, NATS_STREAM, NODE_NAME } from '../config/nats-schema.ts';
import type { Config } from '../config/parse-config.ts';
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
  /** The cluster that it follows, which has a configuration; absent where it has its own. */
  readonly join?: JoinOptions;
}

/** A cluster to join, as a configuration would say it. */
export type JoinOptions = Pick<Config, 'node' | 'nats'> & { readonly store: Exclude<Config['store'], string> };

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
        join: TEXT,
        node: TEXT,
        data: TEXT,
        credentials: TEXT,
        stream: TEXT,
      },
    }),
  );
  if (values.help) return 'help';
  const [configFile] = positionals;
  if (positionals.length > 1) throw usage(command, `One configuration can be served, not ${positionals.length}.`);
  if (values.demo === true && configFile !== undefined) {
    throw usage(command, `Both ${configFile} and --demo were given: choose one.`);
  }
  const join = joinOf(command, values);
  if (join && (values.demo || configFile !== undefined)) {
    throw usage(
      command,
      `Both ${configFile ?? '--demo'} and --join were given: a node that joins has no configuration.`,
    );
  }
  if (!join && !values.demo && configFile === undefined) {
    throw usage(command, 'Give a configuration file, --demo, or --join.');
  }
  return {
    kind: 'serve',
    ...(join && { join }),
    ...(configFile !== undefined && { configFile }),
    port: integer(command, '--port', values.port ?? '3000', 0, 65_535),
    host: values.host ?? '127.0.0.1',
    ...(values['no-web'] && { web: false }),
    ...(values.workers !== undefined && { workers: integer(command, '--workers', values.workers, 1, MOST_WORKERS) }),
  };
}

type JoinValues = Readonly<Partial<Record<'join' | 'node' | 'data' | 'credentials' | 'stream', string>>>;

function joinOf(command: string, { join, node, data, credentials, stream }: JoinValues): JoinOptions | undefined {
  if (join === undefined) {
    const lone = Object.entries({ node, data, credentials, stream }).find(([, value]) => value !== undefined)?.[0];
    if (lone !== undefined) throw usage(command, `--${lone} belongs to --join, which was not given.`);
    return undefined;
  }
  const check = (option: string, value: string | undefined, pattern: RegExp, expected: string) => {
    if (value !== undefined && !pattern.test(value))
      throw usage(command, `--${option} is "${value}": give ${expected}.`);
  };
  check('node', node, NODE_NAME, '1 to 64 of A-Z, a-z, 0-9, "." and "-"');
  check('stream', stream, NATS_STREAM, '1 to 32 of A-Z, a-z, 0-9, "_" and "-"');
  check('data', data, /\S/, 'a folder');
  check('credentials', credentials, /\S/, 'a file');
  const servers = join.split(',');
  if (!servers.every(isNatsUrl)) {
    throw usage(command, `--join is "${join}": give the URLs of NATS servers, such as nats://a:4222,nats://b:4222.`);
  }
  const nats = {
    ...(data !== undefined && { data }),
    ...(credentials !== undefined && { credentials }),
    ...(stream !== undefined && { stream }),
  };
  return { store: { servers }, nats, ...(node !== undefined && { node }) };
}
