export type { CliInput, CliOutput, CliProcess } from './cli-process.ts';
export { main } from './main.ts';
