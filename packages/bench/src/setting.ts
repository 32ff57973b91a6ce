/** Where a measurement takes place. */
export interface Setting {
  /** A folder for its files. */
  readonly folder: string;
  /** Told a line when something has been measured, and how much of the measurement is done, in [0, 1], where that is known. */
  readonly onProgress: (line: string, share?: number) => void;
}

/** The server has the first core, the load the second. */
export const SERVER_CORE = 0;
const LOAD_CORE = 1;

/** A process may have 20,000 sockets, some of which are its own. */
export const MOST_CONNECTIONS = 18_000;

/** What every load has in common. */
export const LOAD = {
  processes: 1,
  core: LOAD_CORE,
  headers: { 'accept-encoding': 'identity' },
  opening: 200,
  comesBack: false,
} as const;
