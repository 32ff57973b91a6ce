import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';

interface Ended {
  readonly file: string;
  /** The first line of its first error. */
  readonly message?: string;
}

/** What one process of a run leaves for the report over all of them. */
interface RunRecord {
  readonly files: readonly (Ended & { readonly seconds: number; readonly failed: boolean })[];
  /** A test that is meant to fail is `failing` where it does: it did not pass, and proves nothing. */
  readonly tests: readonly (Ended & { readonly name: string; readonly state: string })[];
  /** Errors outside of every test. */
  readonly unhandled: readonly string[];
}

/** Writes what a process ran to the file that LDES_LIVE_RECORD names: seconds of each file, and each test's end. */
export class RecordReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly { readonly message: string }[]): void {
    const path = process.env.LDES_LIVE_RECORD;
    if (path === undefined) return;
    const fileOf = ({ moduleId }: TestModule) => relative(process.cwd(), moduleId).replaceAll('\\', '/');
    const record: RunRecord = {
      files: modules.map((module) => {
        const { duration, collectDuration, setupDuration } = module.diagnostic();
        // Hooks of a `describe` fail at its suite: neither at the module nor at a test.
        const broken = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
        const seconds = (duration + collectDuration + setupDuration) / 1000;
        return { file: fileOf(module), seconds, failed: broken.length > 0, ...firstMessage(broken) };
      }),
      tests: modules.flatMap((module) =>
        [...module.children.allTests()].map((test) => {
          const { state, errors: failures } = test.result();
          const end = state === 'passed' && test.options.fails ? 'failing' : state;
          return { file: fileOf(module), name: test.fullName, state: end, ...firstMessage(failures) };
        }),
      ),
      unhandled: errors.map(({ message }) => message),
    };
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(record));
  }
}

function firstMessage(errors: readonly { readonly message: string }[] = []): Pick<Ended, 'message'> {
  const [line] = errors.map(({ message }) => `${message}`.trim().split('\n', 1)[0]);
  return line === undefined ? {} : { message: line };
}
