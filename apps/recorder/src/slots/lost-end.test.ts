import { isDeepStrictEqual } from 'node:util';
import { encodePacket } from '@session/contract/room';
import { openRoomService } from '@session/media';
import { expect } from 'vitest';
import { until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

test('an interval whose end the database has lost ends again where it had ended, and its recorder leads', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const rooms = openRoomService(stage.media);
  const reconnect = async (intervals: number) => {
    for (const { identity } of await rooms.listParticipants(sessionId)) {
      await rooms.removeParticipant(sessionId, identity);
    }
    await until(async () => (await stage.countIntervals(sessionId)) === intervals);
  };
  await reconnect(2);
  const { sql } = stage.database;
  const first = () => sql`
    select to_at, end_reason from recording_intervals
    where session_id = ${sessionId} order by opened_at limit 1`;
  const before = await first();
  await sql`
    update recording_intervals set to_at = null, end_reason = null
    where session_id = ${sessionId} and to_at is not null`;
  await reconnect(3);
  const speaker = await stage.joinAsForeigner(sessionId);
  await speaker.setAttributes({ known: 'by now' });
  const packet = encodePacket({ type: 'user_text', data: 'hello' });
  await speaker.publishData(packet, { reliable: true });
  await stage.historyWith(sessionId, ({ content }) => content === 'hello');
  await until(async () => isDeepStrictEqual(await first(), before));
  expect(before).toMatchObject([{ end_reason: 'participant_removed' }]);
});
