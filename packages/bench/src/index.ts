export { type BenchEnvironment, bench, benchmarksMarkdown } from './program.ts';
