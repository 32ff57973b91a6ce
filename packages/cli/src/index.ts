export type { CliInput, CliOutput, CliProcess } from './cli-process.ts';
export { main } from './main.ts';
export { watchProcess } from './serve/process-watch.ts';
