import { entityView } from './entity-view.ts';
import { latestView } from './latest-view.ts';
import { placeView } from './place-view.ts';
import { timeView } from './time-view.ts';
import type { ViewMaker } from './view.ts';

/** The views that every stream has. */
export const views: readonly ViewMaker[] = [timeView, latestView, placeView, entityView];
