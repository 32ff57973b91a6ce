import { spawnSync } from 'node:child_process';
import { programPath } from './installed-program.ts';

interface Program {
  /** Commands that it may have. */
  readonly commands: readonly string[];
  readonly option: string;
  readonly version: RegExp;
}

const PROGRAMS = {
  nginx: { commands: ['nginx'], option: '-v', version: /nginx\/(\S+)/ },
  Varnish: { commands: ['varnishd'], option: '-V', version: /varnish-([^\s)]+)/ },
  Chromium: {
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    option: '--version',
    version: /(\d+\.[\d.]+)/,
  },
} as const satisfies Record<string, Program>;

/** Versions of programs that are not packages, by their names; without those that are not on this machine. */
export function programVersions(names: readonly (keyof typeof PROGRAMS)[]): Readonly<Record<string, string>> {
  const found = names.flatMap((name) => {
    const version = versionOfProgram(PROGRAMS[name]);
    return version === undefined ? [] : [[name, version] as const];
  });
  return Object.fromEntries(found);
}

function versionOfProgram({ commands, option, version }: Program): string | undefined {
  for (const command of commands) {
    const { stdout, stderr } = spawnSync(programPath(command), [option], { encoding: 'utf8' });
    const found = version.exec(`${stdout}${stderr}`)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
