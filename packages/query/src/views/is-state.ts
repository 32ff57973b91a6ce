import type { SourceEvent, StateEvent } from '../commit-source.ts';

/** Whether a source tells its whole state, and not what it published. */
export function isState(event: SourceEvent): event is StateEvent {
  return 'kind' in event;
}
