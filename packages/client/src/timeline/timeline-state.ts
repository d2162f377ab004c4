import { CatchUp } from './catch-up.ts';
import { Ledger } from './ledger.ts';
import { Listeners } from './listeners.ts';
import { type DetachedSnapshot, itemsOf, type TimelineSnapshot } from './snapshot.ts';
import { Unseen } from './unseen.ts';
import { Windows } from './windows.ts';

export class TimelineState {
  readonly ledger = new Ledger();
  readonly unseen = new Unseen();
  readonly catchUp = new CatchUp();
  readonly windows = new Windows(this.ledger, this.unseen);
  readonly listeners = new Listeners();
  #snapshot: TimelineSnapshot | undefined;
  #detachedSnapshot: DetachedSnapshot | undefined;

  getSnapshot(): TimelineSnapshot {
    const { live } = this.windows;
    this.#snapshot ??= {
      items: itemsOf(live.entries, this.ledger.loose),
      hasOlder: live.hasOlder,
      unseen: this.unseen.size,
      catchingUp: this.catchUp.isBehind,
    };
    return this.#snapshot;
  }

  getDetachedSnapshot(): DetachedSnapshot | undefined {
    const window = this.windows.detached;
    if (!window) return undefined;
    const { hasOlder } = window;
    this.#detachedSnapshot ??= { items: itemsOf(window.entries, []), hasOlder };
    return this.#detachedSnapshot;
  }

  /** Merges windows that have met, and notifies the listeners. */
  changed(): true {
    this.windows.merge();
    this.#snapshot = undefined;
    this.#detachedSnapshot = undefined;
    this.listeners.notify();
    return true;
  }
}
