import {
  conflictIdOf,
  FINAL_ATTRIBUTE,
  SEGMENT_ATTRIBUTE,
  senderOf,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { appendMessages } from '@session/db';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

async function countOpenIntervals({ database }: TestStage, sessionId: string): Promise<number> {
  const rows = await database.sql`
    select from recording_intervals where session_id = ${sessionId} and to_at is null`;
  return rows.length;
}

/** Opens a session that two recorders record, and returns how three senders use one id in it. */
async function openRoom(stage: TestStage) {
  const config = { redundancy: 2 };
  await stage.record({ config });
  await stage.record({ config });
  const sessionId = await stage.createSession();
  await until(async () => (await countOpenIntervals(stage, sessionId)) === 2);
  const [ana, agent] = [await stage.join(sessionId), await stage.joinAsAgent(sessionId)];
  const id = uuidv7();
  const caller = `user-${uuidv4()}`;
  const row = { sessionId, id, role: 'user', status: 'complete', kind: 'text' } as const;
  const attributes = { [SEGMENT_ATTRIBUTE]: id, [FINAL_ATTRIBUTE]: 'true' };
  const senders = {
    packet: {
      identity: ana.identity,
      send: async () => await ana.sendPacket({ type: 'user_text', data: 'by packet', id }),
    },
    stream: {
      identity: agent.identity,
      send: async () => await agent.sendText(TRANSCRIPTION_TOPIC, 'by stream', attributes),
    },
    http: {
      identity: caller,
      send: async () => {
        const metadata = { kind: 'text', participant: { identity: caller }, rawId: id };
        const said = { ...row, content: 'by http', receivedAt: Date.now(), metadata };
        await appendMessages(stage.database, [said]);
      },
    },
  };
  return { sessionId, id, senders, ana, agent };
}

test.for([
  [['packet', 'stream', 'http']],
  [['http', 'stream', 'packet']],
  [['stream', 'packet', 'http']],
] as const)(
  'one id by %j, through two recorders: each is stored once under its sender, and the first keeps the id',
  async ([order], { stage }) => {
    const { sessionId, id, senders, ana, agent } = await openRoom(stage);
    const [first] = order;
    for (const turn of ['once', 'again']) {
      for (const way of order) {
        await senders[way].send();
        // The first message that is stored keeps the id. The other senders need not wait for each other.
        if (way === first) await stage.historyWith(sessionId, (message) => message.id === id);
      }
      const last = [await ana.say(`ana ${turn}`), await agent.say(`agent ${turn}`)];
      for (const lastId of last)
        await stage.historyWith(sessionId, (message) => message.id === lastId);
      // A message whose id is taken is stored after the other messages of its batch.
      const stored = await until(async () => {
        const history = await stage.history(sessionId);
        const rows = history.filter(({ content }) => content.startsWith('by '));
        return rows.length >= order.length && rows;
      });
      expect(new Map(stored.map((message) => [message.content, message.id]))).toEqual(
        new Map(
          order.map((way) => {
            const content = `by ${way}`;
            const claim = {
              sender: way === 'http' ? null : senderOf(senders[way].identity),
              content,
            };
            return [content, way === first ? id : conflictIdOf(sessionId, id, claim)];
          }),
        ),
      );
      expect(stored).toHaveLength(order.length);
      for (const { content, metadata } of stored) {
        const sender = order.find((way) => content === `by ${way}`);
        expect(metadata.participant?.identity).toBe(sender && senders[sender].identity);
        expect(metadata.rawId).toBe(id);
      }
    }
  },
);
