import { describe } from 'vitest';
import { appendCases, readCases } from './suite-append.ts';
import { lifeCases, reopenCases, versionCases } from './suite-life.ts';
import { modelCases } from './suite-model.ts';
import type { StoreSubject } from './suite-place.ts';
import { removalCases, removalReopenCases } from './suite-removal.ts';

/** Declares, for vitest, the tests that every log store has to pass. */
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
    }
    modelCases(subject);
  });
}
