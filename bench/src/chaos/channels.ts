import { pause } from '@session/kit';
import type { SentPart } from './check-history.ts';
import type { RejoiningParticipant } from './rejoining-participant.ts';

/** A sender that is behind its schedule catches up on at most this much. */
const CATCH_UP_MS = 2000;
const LONG_PARTS = 40;
const PART_MS = 500;

export interface Talk {
  readonly prefix: string;
  /**
   * The contents by channel, in order. A message that failed to send gets its own channel, because its order is unknown.
   */
  readonly sent: Record<string, string[]>;
  readonly sentAt: Map<string, number>;
  readonly parts: SentPart[];
  readonly signal: AbortSignal;
}

export async function sendRegularly(
  { prefix, sent, sentAt, signal }: Talk,
  name: string,
  everyMs: number,
  send: (content: string) => Promise<unknown>,
): Promise<void> {
  const channel = `${prefix}${name}`;
  const own: string[] = [];
  sent[channel] = own;
  // Messages keep their average rate when one of them takes longer, but an outage is made up for only in part.
  let next = Date.now() + everyMs;
  let count = 0;
  while (await pause(Math.max(0, next - Date.now()), signal)) {
    next = Math.max(next + everyMs, Date.now() - CATCH_UP_MS);
    count += 1;
    const content = `${channel} #${count}`;
    own.push(content);
    sentAt.set(content, Date.now());
    // A failed message may still arrive, after later ones. The listener shows whether it did.
    await send(content).catch(() => {
      own.pop();
      sent[content] = [content];
    });
  }
}

/** Sends long texts, one after another, until the talk ends, which ends the last text early. */
export async function sendLongTexts(
  { prefix, sent, parts, signal }: Talk,
  participant: Pick<RejoiningParticipant, 'room'>,
): Promise<void> {
  for (let count = 1; await pause(PART_MS, signal); count += 1) {
    // Every text is its own channel: a text that breaks may arrive after later ones.
    const channel = `${prefix}long streams #${count}:`;
    let content = '';
    try {
      const writer = await participant.room?.openText('lk.chat');
      if (!writer) continue;
      for (let part = 1; part <= LONG_PARTS && !signal.aborted; part += 1) {
        const added = part === 1 ? `${channel} part 1;` : ` part ${part};`;
        content += added;
        sent[channel] = [content];
        parts.push({ text: content, sentAt: Date.now() });
        await writer.write(added);
        await pause(PART_MS, signal);
      }
      await writer.end();
    } catch {
      // The connection broke. The listener shows how much of the text arrived.
    }
  }
}
