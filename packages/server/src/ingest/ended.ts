/**
 * Why what a post waits for is given up when nobody waits for it any more: what `abort()` says by itself. Made once, since
 * making one takes the stack, which is a good part of what a small post costs.
 */
export const ENDED: DOMException = new DOMException('This operation was aborted', 'AbortError');
