import type { InternalAnswer } from './internal-server.ts';

/**
 * Whether a process takes work, for balancers and for Kubernetes. The states only go forward:
 *
 * - `starting`: not everything is open yet.
 * - `ready`: the process takes work. It stays so while the database is away: then each of its answers says that, where a
 *   balancer without any process could only send an error page of its own.
 * - `draining`: the process ends. What has begun is finished.
 */
export class Readiness {
  #state: 'starting' | 'ready' | 'draining' = 'starting';

  ready(): void {
    if (this.#state === 'starting') this.#state = 'ready';
  }

  drain(): void {
    this.#state = 'draining';
  }

  get answer(): InternalAnswer {
    return {
      status: this.#state === 'ready' ? 200 : 503,
      contentType: 'application/json',
      body: JSON.stringify({ status: this.#state }),
    };
  }
}
