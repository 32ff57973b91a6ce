export { type BenchEdge, bench } from './bench.ts';
