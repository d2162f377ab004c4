import { once } from 'node:events';
import { TRANSCRIPTION_TOPIC } from '@session/contract/room';
import { pause } from '@session/kit';
import type { JoinedRoom } from '@session/media';
import { expect, test } from 'vitest';
import { startRecorderProcess, tempFolder } from '../../testing/recorder-process.ts';
import { type HistoryRow, TestStage, until } from '../../testing/stage.ts';
import { TIMING } from '../timing.ts';

const EVERY_MS = 250;
/** The kill comes about 8 s after the first checkpoint. */
const WORDS = 18_000 / EVERY_MS;
/** How long a word may take from its sender to the recorder. A gap begins when a word is received. */
const TRAVEL_MS = 1000;
/** One heartbeat, and the time that a busy machine may take to notice, store and send a word. */
const SLACK_MS = 4000;

/** Words of one sender, in the order in which they were said, and when each was said. */
interface Said {
  readonly words: string[];
  readonly times: number[];
}

/** Says words for 18 s. `send` gets all words so far, and the newest. */
async function say(send: (sentence: string, word: string) => Promise<void>): Promise<Said> {
  const said: Said = { words: [], times: [] };
  while (said.words.length < WORDS) {
    const word = `word-${said.words.length} `;
    said.words.push(word);
    said.times.push(Date.now());
    await send(said.words.join(''), word);
    await pause(EVERY_MS, new AbortController().signal);
  }
  return said;
}

/** Publishes interim transcripts of one segment, each with all words so far. */
async function sendInterim(room: JoinedRoom, sentence: string): Promise<void> {
  const attributes = { 'lk.segment_id': 'SG_1', 'lk.transcription_final': 'false' };
  await room.sendText(TRANSCRIPTION_TOPIC, sentence, attributes);
}

/** Returns when the first word was said that the history lacks. */
function lostSince({ words, times }: Said, row: HistoryRow | undefined): number {
  const content = row?.content ?? '';
  const count = words.findIndex(
    (_, index) => !content.startsWith(words.slice(0, index + 1).join('')),
  );
  return count < 0 ? Number.POSITIVE_INFINITY : (times[count] ?? Number.NaN);
}

test('killed while a stream and a segment of 18 s are open: all words are stored, but for those in a gap of 10 s', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const sessionIds = [await stage.createSession(), await stage.createSession()] as const;
  await using program = await startRecorderProcess(stage.env(temp.folder));
  for (const sessionId of sessionIds) await stage.untilRecording(sessionId);
  const [agent, person] = [await stage.joinAsAgent(sessionIds[0]), await stage.join(sessionIds[1])];
  const stream = await agent.openText(TRANSCRIPTION_TOPIC);
  const all = await Promise.all([
    say((_, word) => stream.write(word)),
    say((sentence) => sendInterim(person, sentence)),
  ]);
  const exit = once(program.child, 'exit');
  const killedAt = Date.now();
  program.child.kill('SIGKILL');
  await exit;
  await using _ = await startRecorderProcess(stage.env(temp.folder));
  for (const [index, sessionId] of sessionIds.entries()) {
    const gaps = await until(async () => {
      const { reported } = await stage.gaps(sessionId);
      return reported.length > 0 && reported;
    });
    const [gap] = gaps;
    const from = Date.parse(String(gap && 'from' in gap && gap.from));
    const history = await stage.history(sessionId);
    const row = history.find(({ kind }) => kind === 'transcript');
    expect(row).toMatchObject({ status: 'pending' });
    const said = all[index];
    // No word is missing before the gap, and the gap begins at most 10 s before the kill.
    expect(from).toBeLessThanOrEqual(said ? lostSince(said, row) + TRAVEL_MS : Number.NaN);
    expect(from).toBeGreaterThan(killedAt - TIMING.checkpointMs - SLACK_MS);
    expect(gaps).toHaveLength(1);
  }
});
