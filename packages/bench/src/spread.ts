export { type Spread, spread } from './figures.ts';
