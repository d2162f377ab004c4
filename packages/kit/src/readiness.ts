import type { InternalAnswer } from './internal-server.ts';

/**
 * Whether a process takes work. The state only moves forward. It stays `ready` while the database is away, because the
 * process then answers with the reason, while a balancer without processes could only send an error page.
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
