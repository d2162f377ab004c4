import type { MessageKind, MessageMetadata, PresenceEvent } from '@session/contract/room';
import type { SenderStay } from '@session/db';
import type { StorableMessage } from '../message-path.ts';

const KEPT = 100;
const KINDS_WITHOUT_SENDER = new Set<MessageKind>([
  'participant_joined',
  'participant_left',
  'unheard',
]);

/** When each agent joined the room. The database drops messages of an agent that joined after it had stopped. */
export class SenderStays {
  readonly #stays = new Map<string, SenderStay>();

  note({ participant: { identity, sid }, joinedAt, receivedAt }: PresenceEvent): void {
    if (!mayBeOurAgent(identity)) return;
    this.#stays.set(sid, { identity, since: joinedAt ?? receivedAt });
    const [oldest] = this.#stays.keys();
    if (this.#stays.size > KEPT && oldest !== undefined) this.#stays.delete(oldest);
  }

  /**
   * Returns all who may have sent the message; undefined if none of our agents may have sent it. Joins, leaves and reports
   * of unheard texts have no sender.
   */
  sendersOf(message: StorableMessage): readonly SenderStay[] | undefined {
    const { metadata, receivedAt, isOfApi } = message;
    if (isOfApi || KINDS_WITHOUT_SENDER.has(message.kind)) return undefined;
    const identities = possibleSenders(metadata);
    if (!identities.some((identity) => identity === null || mayBeOurAgent(identity)))
      return undefined;
    const ownStay = this.#stays.get(metadata.participant?.sid ?? '');
    return identities.map((identity) => {
      const stay = ownStay ?? this.#newestOf(identity);
      return { identity, since: stay?.since ?? receivedAt };
    });
  }

  #newestOf(identity: string | null): SenderStay | undefined {
    return [...this.#stays.values()].findLast((stay) => stay.identity === identity);
  }
}

function possibleSenders({
  participant,
  transcribers,
  candidates = [],
}: MessageMetadata): readonly (string | null)[] {
  if (participant && !transcribers) return [participant.identity];
  const identities = transcribers ?? candidates;
  return identities.length > 0 ? identities : [null];
}

function mayBeOurAgent(identity: string): boolean {
  return identity.startsWith('agent-');
}
