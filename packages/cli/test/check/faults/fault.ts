import type { FaultyServer } from '../faulty-server.ts';

/** A fault: what it is called, the rule that finds it, and how it is planted; a text is the URL to check instead of the root. */
export type Fault = readonly [name: string, rule: string, plant: (server: FaultyServer) => unknown];
