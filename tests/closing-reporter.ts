import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Ends a run with what was skipped, by name, and one line of counts: a skipped case must not go unseen.
 */
export class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => cases.filter((test: TestCase) => test.result().state === state);
    const [passed, failed, skipped] = [inState('passed'), inState('failed'), inState('skipped')];
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0);
    for (const test of skipped) process.stdout.write(`skipped: ${test.fullName}\n`);
    process.stdout.write(
      `${passed.length} passed, ${failed.length + broken.length} failed, ${skipped.length} skipped\n`,
    );
  }
}
