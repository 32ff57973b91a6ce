import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';

/** What one process of a run leaves for the report over all of them. */
interface RunRecord {
  readonly files: readonly { readonly file: string; readonly seconds: number; readonly failed: boolean }[];
  readonly tests: readonly { readonly file: string; readonly name: string; readonly state: string }[];
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
        const isBroken = module.state() === 'failed' && module.errors().length > 0;
        return { file: fileOf(module), seconds: (duration + collectDuration + setupDuration) / 1000, failed: isBroken };
      }),
      tests: modules.flatMap((module) =>
        [...module.children.allTests()].map((test) => ({
          file: fileOf(module),
          name: test.fullName,
          state: test.result().state,
        })),
      ),
      unhandled: errors.map(({ message }) => message),
    };
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(record));
  }
}
