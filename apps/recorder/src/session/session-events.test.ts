import type { RoomEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import { FAST, until } from '../../testing/test-stage.ts';
import { createLog } from '../process/log.ts';
import { SenderLookup } from './sender-lookup.ts';
import { SessionEvents } from './session-events.ts';
import { SkipCounts } from './skip-counts.ts';

const sender = { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' };

const interim: RoomEvent = {
  type: 'text_stream',
  topic: 'lk.transcription',
  streamId: 'S_1',
  attributes: { 'lk.transcription_final': 'false', 'lk.segment_id': 'SG_1' },
  text: 'I s',
  hasEnded: true,
  sentAt: 0,
  sender,
  receivedAt: 0,
};

function fail(): never {
  throw new Error('a fault');
}

test('an event that cannot be recorded is lost alone, even if that shows only later', async () => {
  const skipped = new SkipCounts();
  const events = new SessionEvents({
    sessionId: 's',
    senders: new SenderLookup({ listParticipants: async () => [], senderMs: FAST.senderMs }),
    writer: { push: fail },
    leadership: { push: fail },
    skipped,
    log: createLog('silent'),
    timing: { ...FAST, interimMs: 1 },
  });
  const receive = (event: RoomEvent) =>
    events.receive({ event, isConnected: true, announced: new Set() });
  const payload = new TextEncoder().encode(JSON.stringify({ type: 'user_text', data: 'hello' }));
  receive(interim);
  receive({ type: 'packet', payload, sender, receivedAt: 0 });
  receive({ type: 'packet', payload, sender: null, receivedAt: 0 });
  await until(() => skipped.toJSON()['fault'] === 3);
  await expect(events.end(true)).resolves.toBeUndefined();
});
