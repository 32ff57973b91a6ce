export { packageVersions } from './machine.ts';
