export { cpuMicrosOf, processTree, residentBytesOf } from './machine.ts';
