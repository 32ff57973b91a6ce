import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

// Daemons are not on the path of every user.
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** Path of a program; its bare name when it is not installed. */
export function programPath(name: string): string {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
}

/** Whether a program is on this machine. */
export function isInstalled(name: string): boolean {
  return programPath(name) !== name;
}
