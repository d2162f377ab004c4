import type { PublishedTrack } from '@session/media';
import { LRUCache } from 'lru-cache';

/** The number of participants whose tracks are remembered, and of tracks for each. */
const MAX_PARTICIPANTS = 1000;
const MAX_TRACKS = 50;

/** The tracks that the participants of a session have or had, the newest of them. */
export class PublishedTracks {
  readonly #tracks = new LRUCache<string, ReadonlySet<string>>({
    // By size, not `max`: see `LIMIT` in heard-texts.ts.
    maxSize: MAX_PARTICIPANTS,
    sizeCalculation: () => 1,
  });

  /** Notes a track of a participant. */
  note({ identity, trackSid }: PublishedTrack): void {
    const tracks = this.#tracks.get(identity) ?? new Set();
    this.#tracks.set(identity, new Set([...[...tracks].slice(1 - MAX_TRACKS), trackSid]));
  }

  /** Returns whether the participant has or had the track. */
  has({ identity, trackSid }: PublishedTrack): boolean {
    return this.#tracks.get(identity)?.has(trackSid) ?? false;
  }
}
