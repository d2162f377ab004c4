import type { PublishedTrack } from '@session/media';
import { LRUCache } from 'lru-cache';

const MAX_PARTICIPANTS = 1000;
const MAX_TRACKS = 50;

export class PublishedTracks {
  readonly #tracks = new LRUCache<string, ReadonlySet<string>>({
    // By size, not `max`: see `LIMIT` in heard-texts.ts.
    maxSize: MAX_PARTICIPANTS,
    sizeCalculation: () => 1,
  });

  note({ identity, trackSid }: PublishedTrack): void {
    const tracks = this.#tracks.get(identity) ?? new Set();
    this.#tracks.set(identity, new Set([...[...tracks].slice(1 - MAX_TRACKS), trackSid]));
  }

  has({ identity, trackSid }: PublishedTrack): boolean {
    return this.#tracks.get(identity)?.has(trackSid) ?? false;
  }
}
