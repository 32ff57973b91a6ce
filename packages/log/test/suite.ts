import { describe } from 'vitest';
import { appendCases } from './suite-append.ts';
import { lifeCases, reopenCases, versionCases } from './suite-life.ts';
import { modelCases } from './suite-model.ts';
import type { StoreSubject } from './suite-place.ts';
import { readerCases } from './suite-reader.ts';
import { removalCases, removalReopenCases } from './suite-removal.ts';

/** Declares, for vitest, the tests that every log store has to pass. */
export function describeLogStore(subject: StoreSubject): void {
  describe(`log store: ${subject.name}`, () => {
    appendCases(subject);
    readerCases(subject);
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

/** Declares the tests that every way to read a log has to pass. */
export function describeLogReader(subject: StoreSubject): void {
  describe(`log reader: ${subject.name}`, () => {
    readerCases(subject);
    modelCases(subject);
  });
}
