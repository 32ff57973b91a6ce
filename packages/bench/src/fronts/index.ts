export { programPath } from '../installed-program.ts';
export type { Front } from './front-process.ts';
export { nginxConfiguration, startNginx } from './nginx-front.ts';
export { startVarnish, VARNISH_CONFIGURATION, varnishParameters } from './varnish-front.ts';
