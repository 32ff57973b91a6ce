import { describe } from 'vitest';
import { appendCases } from './suite-append.ts';
import { lifeCases, reopenCases } from './suite-life.ts';
import { modelCases } from './suite-model.ts';
import type { StoreSubject } from './suite-place.ts';
import { readCases } from './suite-read.ts';
import { removalCases, removalReopenCases } from './suite-removal.ts';
import { versionCases, versionReopenCases } from './suite-versions.ts';

/**
 * Declares, for vitest, the tests that every log store has to pass.
 *
 * @example
 * ```ts
 * describeLogStore({
 *   name: 'memory',
 *   persists: false,
 *   newPlace: async () => ({ open: async (options) => createMemoryStore(options), remove: async () => {} }),
 * });
 * ```
 */
export function describeLogStore(subject: StoreSubject): void {
  describe(`log store: ${subject.name}`, () => {
    appendCases(subject);
    readCases(subject);
    lifeCases(subject);
    removalCases(subject);
    versionCases(subject);
    if (subject.persists) {
      reopenCases(subject);
      removalReopenCases(subject);
      versionReopenCases(subject);
    }
    modelCases(subject);
  });
}
