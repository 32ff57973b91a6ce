import { defineErrors } from '@ldes-live/rdf-stream';

/** The errors of this package. */
export const errors = defineErrors({
  ERR_USAGE: ({ problem, command }: { problem: string; command: string }) => `${problem} See ${command} --help.`,
  ERR_CONFIG_UNREADABLE: ({ file, reason }: { file: string; reason: string }) =>
    `The configuration ${file} cannot be read (${reason}): give the path of a YAML file, or --demo for the demonstration.`,
  ERR_CONFIG_INVALID: ({ file, problems }: { file: string; problems: readonly string[] }) =>
    `The configuration ${file} has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}; correct and start again:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
  ERR_PORT_BUSY: ({ host, port }: { host: string; port: number }) =>
    `Port ${port} of ${host} is in use: stop the program that listens there, or choose another port by --port (0 takes any free one).`,
  ERR_LISTEN: ({ host, port, reason }: { host: string; port: number; reason: string }) =>
    `Cannot listen on port ${port} of ${host} (${reason}): give an interface of this machine by --host, and a port that this user may take by --port.`,
  ERR_OUTPUT: ({ reason }: { reason: string }) =>
    `The output cannot be written (${reason}): make room for it, or send it elsewhere.`,
  ERR_STATE_FILE: ({ file, reason }: { file: string; reason: string }) =>
    `The state file ${file} cannot be used (${reason}): give a file that can be written, or remove it to start afresh.`,
});
