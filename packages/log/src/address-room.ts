import { readFileSync } from 'node:fs';

const KIB = 1024;

/** How much address space the process may still take, bytes; `undefined` where that is not limited, or not told. */
export type AddressRoom = () => number | undefined;

/** What Linux tells of it, by `/proc/self/limits` and `/proc/self/status`. */
export const addressRoomBytes: AddressRoom = () => {
  try {
    return addressRoom(readFileSync('/proc/self/limits', 'utf8'), readFileSync('/proc/self/status', 'utf8'));
  } catch {
    return undefined;
  }
};

/** How much address space is left by the texts of `/proc/PID/limits` and `/proc/PID/status`, bytes. */
export function addressRoom(limits: string, status: string): number | undefined {
  const limit = /^Max address space\s+(\d+)\s/m.exec(limits)?.[1];
  const takenKib = /^VmSize:\s+(\d+) kB$/m.exec(status)?.[1];
  if (limit === undefined || takenKib === undefined) return undefined;
  return Math.max(0, Number(limit) - Number(takenKib) * KIB);
}
