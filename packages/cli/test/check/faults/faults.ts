import type { FaultyServer } from '../faulty-server.ts';
import { answerFaults } from './answer-faults.ts';
import { entryFaults } from './entry-faults.ts';
import { cachingFaults, conditionalFaults } from './http-faults.ts';
import { memberFaults, relationFaults } from './page-faults.ts';
import { streamFaults } from './stream-faults.ts';

/** A fault: what it is called, the rule that finds it, and how it is planted; a text is the URL to check instead of the root. */
export type Fault = readonly [name: string, rule: string, plant: (server: FaultyServer) => unknown];

/** Every fault that is planted. */
export const faults: readonly Fault[] = [
  ...entryFaults,
  ...streamFaults,
  ...relationFaults,
  ...memberFaults,
  ...cachingFaults,
  ...conditionalFaults,
  ...answerFaults,
];
