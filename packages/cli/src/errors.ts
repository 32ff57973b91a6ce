import { defineErrors } from '@ldes-live/rdf-stream/errors';

/** Whether a package is not installed whose name begins so, and that people may leave out; that others are not is a defect. */
export function isNotInstalled(start: string, error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${start}`);
}

export const errors = defineErrors({
  ERR_USAGE: ({ problem, command }: { problem: string; command: string }) => `${problem} See ${command} --help.`,
  ERR_CONFIG_UNREADABLE: ({ file, reason }: { file: string; reason: string }) =>
    `The configuration ${file} cannot be read (${reason}): give the path of a YAML file, or --demo for the demonstration.`,
  ERR_CONFIG_INVALID: ({ file, problems }: { file: string; problems: readonly string[] }) =>
    `The configuration ${file} has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}; correct what stands there:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
  ERR_QUERIES_OFF: ({ stream }: { stream: string }) =>
    `The stream ${stream} takes no queries: read it as it is, or set "queries: true" for it in the configuration of the server.`,
  ERR_PORT_BUSY: ({ host, port }: { host: string; port: number }) =>
    `Port ${port} of ${host} is in use: stop the program that listens there, or choose another port by --port (0 takes any free one).`,
  ERR_LISTEN: ({ host, port, reason }: { host: string; port: number; reason: string }) =>
    `Cannot listen on port ${port} of ${host} (${reason}): give an interface of this machine by --host, and a port that this user may take by --port.`,
  ERR_MEASURE: ({ url, reason }: { url: string; reason: string }) =>
    `${url} cannot be measured (${reason}): give a URL that answers by 200 however often it is asked, or what it serves by --requests-per-second.`,
  ERR_OUTPUT: ({ reason }: { reason: string }) =>
    `The output cannot be written (${reason}): make room for it, or send it elsewhere.`,
  ERR_STATE_FILE: ({ file, reason }: { file: string; reason: string }) =>
    `The state file ${file} cannot be used (${reason}): give a file that can be written, or remove it to start afresh.`,
  ERR_TIMEOUT: (known: { url: string; count: number; changes: number; timeout: number; reason: string }) =>
    `${known.url} brought ${known.changes} of ${known.count} changes in ${known.timeout} s (${known.reason}): give more time by --timeout, or ask for fewer by --count.`,
  ERR_SAMPLE_UNREADABLE: ({ place, reason }: { place: string; reason: string }) =>
    `${place} cannot be read (${reason}): give the path of a file, or an http or https URL that answers with status 200.`,
  ERR_SAMPLE_UNKNOWN: ({ place, because, expected }: { place: string; because?: string; expected: string }) =>
    because === undefined
      ? `What ${place} holds is not known, or has nothing to publish: give ${expected}.`
      : `What was read from ${place} ${because}: give ${expected}.`,
  ERR_MAPPING_FILE: ({ file, problems }: { file: string; problems: readonly string[] }) =>
    `The mapping ${file} has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}; correct and try again:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
  ERR_FILE_EXISTS: ({ file }: { file: string }) =>
    `${file} is there already: choose another folder by --out, or write over it by --force.`,
  ERR_FILE_WRITE: ({ file, reason }: { file: string; reason: string }) =>
    `${file} cannot be written (${reason}): choose a folder by --out that can be written to.`,
  ERR_NATS_MISSING: () =>
    'The store is at NATS servers, and what reads them is not installed: npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv @nats-io/obj beside this command, and try again.',
  ERR_NODE_ADDRESS: ({ url }: { url: string }) =>
    `This node tells the others that it is at ${url}, where they do not reach it, but NATS is elsewhere: give --host 0.0.0.0, and as "node" a name that the others resolve.`,
  ERR_SHARED_CONFIG: ({ version }: { version: unknown }) =>
    `The nodes of the cluster publish a configuration of version ${JSON.stringify(version) ?? 'none'}, and this release knows version 1: start this node by the release that the others run.`,
  ERR_QUERY_MISSING: ({ package: name }: { package: string }) =>
    `Queries are not installed: npm install ${name} beside this command, and try again.`,
  ERR_BENCH_MISSING: ({ package: name }: { package: string }) =>
    `Benchmarks are not installed: npm install ${name} beside this command, and try again.`,
});
