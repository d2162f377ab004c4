import type { RoomAgent } from '@session/agent-kit';
import type { RoomEvent } from '@session/contract/room';
import type { IncomingAudio, JoinedRoom } from '@session/media/room';

export class CombinedAgent implements RoomAgent {
  readonly #parts: readonly RoomAgent[];

  constructor(parts: readonly RoomAgent[]) {
    this.#parts = parts;
  }

  get done(): Promise<void> {
    return Promise.race(this.#parts.map(({ done }) => done));
  }

  get readsTexts(): boolean {
    return this.#parts.some(({ readsTexts }) => readsTexts);
  }

  joined(room: JoinedRoom): void {
    for (const part of this.#parts) part.joined(room);
  }

  receive(event: RoomEvent, room: JoinedRoom): void {
    for (const part of this.#parts) part.receive(event, room);
  }

  hearAudio(audio: IncomingAudio): void {
    for (const part of this.#parts) part.hearAudio?.(audio);
  }

  async finish(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.finish()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#parts.map((part) => part[Symbol.asyncDispose]()));
  }
}
