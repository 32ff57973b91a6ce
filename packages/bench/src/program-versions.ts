export { programVersions } from './machine.ts';
