import { speech } from '@session/testing';
import { markdownTable, percentile } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import type { ConversationTestbed } from './bench-conversation.ts';
import { TimedPerson } from './timed-person.ts';
import { spokenSentence, TimedSpeech } from './timed-speech.ts';

const TURNS = 3;
const SOUND_MS = 1500;

const MEASURED = [
  'end of speech → first sound',
  'of that, model and speech endpoints',
  'of that, our own',
  'typed → first sound',
] as const;
type Times = Record<(typeof MEASURED)[number], number>;

export async function benchVoice(
  { api, model }: ConversationTestbed,
  target: string | undefined,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  await using endpoints = await TimedSpeech.open(target);
  const sound = target === undefined ? speech(SOUND_MS).samples : await spokenSentence(target);
  const variables = { ...model.variables, ...endpoints.variables };
  const envTemplateId = await api.createTemplate(variables);
  const named = target === undefined ? 'scripted' : 'the speech server';
  const measured = await progress.during(`Speaking, with ${named}`, async (note) => {
    const times: Times[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      note(`${round} of ${rounds}`);
      const sessionId = await api.createSession();
      await using person = await TimedPerson.join(await api.access(sessionId), stop);
      const agentId = await api.startAgent(sessionId, { role: 'core-agent', envTemplateId });
      await person.listen();
      for (let turn = 0; turn < TURNS; turn += 1) {
        const turnTimes = await measure(person, sound, { model, endpoints });
        if (round > 0) times.push(turnTimes);
      }
      await api.stopAgent(agentId);
    }
    return times;
  });
  const rows = MEASURED.map((name) => {
    const times = measured.map((turn) => turn[name]);
    const ms = (part: number) => `${Math.round(percentile(times, part))} ms`;
    return [named, name, ms(0.5), ms(0.95), String(times.length)];
  });
  return markdownTable(['speech by', 'from → to', 'p50', 'p95', 'of'], rows);
}

async function measure(
  person: TimedPerson,
  sound: Int16Array<ArrayBuffer>,
  { model, endpoints }: Pick<ConversationTestbed, 'model'> & { readonly endpoints: TimedSpeech },
): Promise<Times> {
  const spokenAt = await person.speak(sound);
  const heardAt = await person.firstSoundAfter(spokenAt);
  const asked = model.requests.find(({ receivedAt }) => receivedAt > spokenAt);
  const spans = [
    endpoints.firstAfter('transcriptions', spokenAt),
    asked && { receivedAt: asked.receivedAt, answeredAt: asked.firstTokenAt },
    endpoints.firstAfter('speech', asked?.firstTokenAt ?? spokenAt),
  ];
  const others = spans.reduce((sum, span) => {
    return span ? sum + span.answeredAt - Math.max(span.receivedAt, spokenAt) : sum;
  }, 0);
  await person.quiet();
  const typedAt = await person.type('Good morning. Can you hear me?');
  const answeredAt = await person.firstSoundAfter(typedAt);
  await person.quiet();
  const total = heardAt - spokenAt;
  return {
    'end of speech → first sound': total,
    'of that, model and speech endpoints': others,
    'of that, our own': total - others,
    'typed → first sound': answeredAt - typedAt,
  };
}
