import { defineErrors } from '@ldes-live/rdf-stream/errors';

/** Whether an optional package whose name begins so is not installed. A missing package of another name is a defect. */
export function isNotInstalled(start: string, error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${start}`);
}

export const errors = defineErrors({
  ERR_USAGE: ({ problem, command }: { problem: string; command: string }) => `${problem} See ${command} --help.`,
  ERR_CONFIG_UNREADABLE: ({ file, reason }: { file: string; reason: string }) =>
    `The configuration ${file} cannot be read (${reason}). Give the path of a YAML file, or --demo for the demonstration.`,
  ERR_CONFIG_INVALID: ({ file, problems }: { file: string; problems: readonly string[] }) =>
    `The configuration ${file} has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}. Correct ${problems.length === 1 ? 'it' : 'them'}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
  ERR_QUERIES_OFF: ({ stream }: { stream: string }) =>
    `The stream ${stream} does not answer queries. Read the stream itself, or set "queries: true" for it in the configuration of the server.`,
  ERR_PORT_BUSY: ({ host, port }: { host: string; port: number }) =>
    `Port ${port} of ${host} is in use. Stop the program that listens there, or choose another port with --port (0 for any free one).`,
  ERR_LISTEN: ({ host, port, reason }: { host: string; port: number; reason: string }) =>
    `Cannot listen on port ${port} of ${host} (${reason}). Give an interface of this machine with --host, and a port that this user may use with --port.`,
  ERR_MEASURE: ({ url, reason }: { url: string; reason: string }) =>
    `${url} cannot be measured (${reason}). Give a URL that answers every request with status 200, or give its rate with --requests-per-second.`,
  ERR_OUTPUT: ({ reason }: { reason: string }) =>
    `The output cannot be written (${reason}). Free some space, or write to another place.`,
  ERR_STATE_FILE: ({ file, reason }: { file: string; reason: string }) =>
    `The state file ${file} cannot be used (${reason}). Give a writable file, or delete it to start again.`,
  ERR_TIMEOUT: (known: { url: string; count: number; changes: number; timeout: number; reason: string }) =>
    `${known.url} delivered ${known.changes} of ${known.count} changes in ${known.timeout} s (${known.reason}). Raise --timeout, or lower --count.`,
  ERR_SAMPLE_UNREADABLE: ({ place, reason }: { place: string; reason: string }) =>
    `${place} cannot be read (${reason}). Give the path of a file, or an http or https URL that answers with status 200. If the URL needs a key, download it first and give the file.`,
  ERR_SAMPLE_UNKNOWN: ({ place, because, expected }: { place: string; because?: string; expected: string }) =>
    because === undefined
      ? `The kind of ${place} is unknown, or it has nothing to publish. Give ${expected}.`
      : `The content of ${place} ${because}. Give ${expected}.`,
  ERR_MAPPING_FILE: ({ file, problems }: { file: string; problems: readonly string[] }) =>
    `The mapping ${file} has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}. Correct ${problems.length === 1 ? 'it' : 'them'} and try again:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
  ERR_FILE_EXISTS: ({ file }: { file: string }) =>
    `${file} already exists. Choose another folder with --out, or overwrite it with --force.`,
  ERR_FILE_WRITE: ({ file, reason }: { file: string; reason: string }) =>
    `${file} cannot be written (${reason}). Choose a writable folder with --out.`,
  ERR_NATS_MISSING: () =>
    'The packages for a store at NATS servers are not installed. Where this command is installed, run npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv @nats-io/obj.',
  ERR_NODE_ADDRESS: ({ url }: { url: string }) =>
    `The other nodes cannot reach this node at ${url}. Give --host 0.0.0.0, and set "node" to a name that the other nodes can resolve.`,
  ERR_SHARED_CONFIG: ({ version }: { version: unknown }) =>
    `The cluster has a configuration of version ${JSON.stringify(version) ?? 'none'}, and this release reads version 1. Start this node with the release of the other nodes.`,
  ERR_QUERY_MISSING: ({ package: name }: { package: string }) =>
    `Queries are not installed. Run npm install ${name} where this command is installed.`,
  ERR_BENCH_MISSING: ({ package: name }: { package: string }) =>
    `Benchmarks are not installed. Run npm install ${name} where this command is installed.`,
});
