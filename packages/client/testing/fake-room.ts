import { unlessAborted } from '../src/http/pause.ts';
import type { ConnectedRoom, Room, RoomEvents } from '../src/index.ts';
import { present } from './timelines.ts';

type Packet = Parameters<ConnectedRoom['send']>[0];

export class FakeRoom implements Room {
  readonly tokens: string[] = [];
  readonly sent: Packet[] = [];
  /** How often it had tried to join when it asked to load what joining needs; undefined before. */
  preparedAfter: number | undefined;
  isSlow = false;
  isAway = false;
  isDeaf = false;
  isStuck = false;
  hasLeft = false;
  isReleased = false;
  #listener: RoomEvents | undefined;
  #close: ((reason: string) => void) | undefined;

  get listener(): RoomEvents {
    return present(this.#listener);
  }

  async release(): Promise<void> {
    this.isReleased = true;
  }

  prepare(): void {
    this.preparedAfter = this.tokens.length;
  }

  readonly join: Room['join'] = async (
    { participantToken, participantIdentity },
    listener,
    signal,
  ) => {
    this.tokens.push(participantToken);
    if (this.isSlow) await unlessAborted(new Promise(() => {}), signal);
    if (this.isAway) throw new Error('the room cannot be joined');
    this.#listener = listener;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#close = resolve;
    return {
      identity: participantIdentity,
      closed: promise,
      send: async (packet) => {
        if (this.isDeaf) throw new Error('cannot send');
        if (this.isStuck) await new Promise(() => {});
        this.sent.push(packet);
      },
      leave: async () => {
        this.hasLeft = true;
        resolve('CLIENT_INITIATED');
      },
    };
  };

  close(reason: string): void {
    present(this.#close)(reason);
  }
}
