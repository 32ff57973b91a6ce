export { type ChromiumPage, openChromium } from './open-chromium.ts';
