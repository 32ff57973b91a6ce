export type { CliInput, CliOutput, CliProcess } from './environment.ts';
export { main } from './main.ts';
