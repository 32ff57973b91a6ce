export { type BenchEnvironment, bench, benchmarksMarkdown } from './program.ts';
export { soak } from './soak/soak.ts';
