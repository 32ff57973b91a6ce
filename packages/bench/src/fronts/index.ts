export { type Front, programPath } from './front-process.ts';
export { nginxConfiguration, startNginx } from './nginx-front.ts';
export { startVarnish, VARNISH_CONFIGURATION, varnishParameters } from './varnish-front.ts';
