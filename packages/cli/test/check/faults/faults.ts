import { answerFaults } from './answer-faults.ts';
import { cachingFaults } from './caching-faults.ts';
import { conditionalFaults } from './conditional-faults.ts';
import { entryFaults } from './entry-faults.ts';
import type { Fault } from './fault.ts';
import { memberFaults } from './member-faults.ts';
import { relationFaults } from './relation-faults.ts';
import { streamFaults } from './stream-faults.ts';

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
