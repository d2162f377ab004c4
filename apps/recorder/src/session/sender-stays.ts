import type { MessageMetadata, PresenceEvent, RoomMessage } from '@session/contract/room';
import type { SenderStay } from '@session/db';

/** More than the agents of one session whose last words are still on their way. */
const KEPT = 100;

/**
 * Since when the agents of a session were in its room. The database drops the messages of an agent that joined after its end,
 * and stores the last words of an agent that was there before.
 */
export class SenderStays {
  /** By the server's id of the stay, the oldest first. */
  readonly #stays = new Map<string, SenderStay>();

  /** Notes the join of a participant. */
  note({ participant: { identity, sid }, joinedAt, receivedAt }: PresenceEvent): void {
    if (!mayBeOurAgent(identity)) return;
    this.#stays.set(sid, { identity, since: joinedAt ?? receivedAt });
    const [oldest] = this.#stays.keys();
    if (this.#stays.size > KEPT && oldest !== undefined) this.#stays.delete(oldest);
  }

  /**
   * Returns everyone who may have sent the message; undefined if no agent of ours may have. The server reports joins and
   * leaves, so nobody sent them.
   */
  sendersOf({ kind, metadata, receivedAt }: RoomMessage): readonly SenderStay[] | undefined {
    if (kind === 'participant_joined' || kind === 'participant_left') return undefined;
    const { participant } = metadata;
    const identities = this.#possibleSenders(metadata);
    if (!identities.some(mayBeOurAgent)) return undefined;
    return identities.map((identity) => {
      const stay = this.#stays.get(participant?.sid ?? '') ?? this.#newestOf(identity);
      return { identity, since: stay?.since ?? receivedAt };
    });
  }

  /** Who wrote a text in a participant's name may have left at once: then each agent that was in the room counts. */
  #possibleSenders({ participant, transcribers, candidates = [] }: MessageMetadata) {
    if (transcribers && transcribers.length > 0) return transcribers;
    if (transcribers)
      return [...new Set([...this.#stays.values()].map(({ identity }) => identity))];
    return participant ? [participant.identity] : candidates;
  }

  #newestOf(identity: string): SenderStay | undefined {
    return [...this.#stays.values()].findLast((stay) => stay.identity === identity);
  }
}

function mayBeOurAgent(identity: string): boolean {
  return identity.startsWith('agent-');
}
