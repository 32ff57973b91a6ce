import type { Front } from '../fronts/front-process.ts';
import { startNginx } from '../fronts/nginx-front.ts';
import { startVarnish } from '../fronts/varnish-front.ts';
import { isInstalled } from '../installed-program.ts';

/** A way from clients to a publisher. */
export interface Way {
  readonly name: 'straight' | 'nginx' | 'Varnish';
  /** Whether what it takes is on this machine. */
  isOpen(): boolean;
  /** Opens it at a port; absent where clients ask the publisher itself. */
  readonly open?: (publisher: URL, port: number) => Promise<Front>;
}

/** The ways that clients take. */
export const WAYS: readonly Way[] = [
  { name: 'straight', isOpen: () => true },
  { name: 'nginx', isOpen: () => isInstalled('nginx'), open: (publisher, port) => startNginx(publisher, { port }) },
  {
    name: 'Varnish',
    isOpen: () => isInstalled('varnishd'),
    open: (publisher, port) => startVarnish(publisher, { port }),
  },
];
