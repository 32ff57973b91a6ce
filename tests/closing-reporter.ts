import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Ends a run with what was skipped, by name, what passed only when it was repeated, with why it had not, and one line
 * of counts: neither a skipped case nor an unsteady one must go unseen.
 */
export class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => cases.filter((test: TestCase) => test.result().state === state);
    const [passed, failed, skipped] = [inState('passed'), inState('failed'), inState('skipped')];
    const repeated = passed.filter((test) => test.diagnostic()?.flaky);
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0);
    for (const test of skipped) process.stdout.write(`skipped: ${test.fullName}\n`);
    for (const test of repeated) process.stdout.write(`passed only when repeated: ${test.fullName}\n${errorsOf(test)}`);
    process.stdout.write(
      `${passed.length} passed (${repeated.length} only when repeated), ${failed.length + broken.length} failed, ${skipped.length} skipped\n`,
    );
  }
}

function errorsOf(test: TestCase): string {
  return (test.result().errors ?? []).map(({ stack, message }) => `${stack ?? message}\n`).join('');
}
