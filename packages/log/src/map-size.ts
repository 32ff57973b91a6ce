import type { AddressRoom } from './address-room.ts';

const MIB = 1024 ** 2;

/** Address space, and neither memory nor disk: the file stays as small as it is. */
export const FULL_MAP_BYTES: number = 64 * 1024 * MIB;

/** How much more than the file a smaller map has to hold: what one commit may add, several times over. */
const MAP_RESERVE_BYTES: number = 64 * MIB;

/** How many times the map is to fit into what is left: the heap and the threads grow into the rest. */
const SHARES = 2;

/** How large a map of a data file may be. */
export type MapSize =
  | { readonly mapBytes: number; readonly problem?: never }
  | { readonly mapBytes?: never; readonly problem: string };

/**
 * Decides through how much address space a data file is opened: {@link FULL_MAP_BYTES} where nothing limits it, else half of
 * what is left.
 *
 * @param roomBytes - what the process may still take; `undefined` where there is no limit
 * @param fileBytes - size of the file
 * @returns a problem, in words, where the file and {@link MAP_RESERVE_BYTES} do not fit: LMDB would end the process
 */
export function mapSize(roomBytes: ReturnType<AddressRoom>, fileBytes: number): MapSize {
  if (roomBytes === undefined) return { mapBytes: FULL_MAP_BYTES };
  const mapBytes = Math.min(FULL_MAP_BYTES, Math.floor(roomBytes / SHARES / MIB) * MIB);
  const neededBytes = Math.ceil((fileBytes + MAP_RESERVE_BYTES) / MIB) * MIB;
  if (mapBytes >= neededBytes) return { mapBytes };
  const missing = Math.ceil((neededBytes * SHARES - roomBytes) / MIB);
  return {
    problem: `its data.mdb does not fit into the address space of the process, which \`ulimit -v\` limits: raise that by ${missing} MiB at least`,
  };
}

/** Whether a file has grown so far that it is to be opened anew through a larger map, if there is one. */
export function isOutgrown(mapBytes: number, fileBytes: () => number): boolean {
  return mapBytes < FULL_MAP_BYTES && fileBytes() + MAP_RESERVE_BYTES > mapBytes;
}
