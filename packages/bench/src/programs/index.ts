export { programPath } from '../processes.ts';
export { type ChromiumPage, openChromium } from './chromium.ts';
export { type Front, nginxConfiguration, startFront, VARNISH_CONFIGURATION, varnishParameters } from './fronts.ts';
