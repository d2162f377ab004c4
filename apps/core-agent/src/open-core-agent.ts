import { ConversingAgent } from '@session/agent-kit/conversation';
import {
  type AgentEvent,
  agentStateEvent,
  type EndpointFetch,
  openEndpointFetch,
  openModel,
  openTools,
} from '@session/conversation';
import { INCOMING_RATE } from '@session/media/room';
import type { Config } from './config.ts';
import { CoreAgent } from './core-agent.ts';
import { EndpointHealth } from './endpoints/endpoint-health.ts';
import { hearingEndpoint, speakingEndpoint } from './endpoints/speech-endpoint.ts';
import { SpeechFailure } from './endpoints/speech-request.ts';
import { type Framework, loadFramework } from './framework.ts';
import type { HeardWords } from './hearing/person-listener.ts';
import { RoomHearing } from './hearing/room-hearing.ts';
import { Transcriber } from './hearing/transcriber.ts';
import { RoomVoice } from './speaking/room-voice.ts';
import { openSpokenText } from './speaking/spoken-text.ts';
import { Synthesizer } from './speaking/synthesizer.ts';

const NO_SERVER = 'There is no speech server: I can only read and write.';
const HEARING_LOST = 'I cannot hear at the moment: please write to me.';
const LANGUAGE_LOST =
  'My speech server does not know the language of this conversation: please write to me.';

interface Links {
  readonly report: (event: AgentEvent) => void;
  readonly said: (words: HeardWords) => Promise<void>;
  readonly speaks: () => void;
  readonly hears: (isHearing: boolean) => void;
  readonly framework: () => Promise<Framework>;
  readonly log: (line: string) => void;
}

export async function openCoreAgent(
  config: Config,
  log: (line: string) => void,
  load = loadFramework,
): Promise<CoreAgent> {
  await using stack = new AsyncDisposableStack();
  const model = await openModel(config.settings.model, { log });
  const tools = await openTools(config.toolSettings, { log });
  // Node keeps the error of a module, so a second attempt to load the framework would fail too.
  let loaded: Promise<Framework> | undefined;
  const framework = () => {
    loaded ??= load();
    return loaded;
  };
  const links: Links = {
    report: (event) => conversing.report(event),
    said: (words) => agent.said(words),
    speaks: () => conversing.noticeSpeech(),
    hears: (isHearing) => agent.hears(isHearing),
    framework,
    log,
  };
  const voice = openVoice(config, links, stack);
  const hearing = openHearing(config, links, voice, stack);
  const conversing: ConversingAgent = new ConversingAgent({
    ...config,
    sessionId: config.room.room,
    model,
    tools,
    ...(voice && { voice }),
    isHearing: () => agent.isHearing,
    log,
  });
  const agent: CoreAgent = new CoreAgent({ conversing, hearing, voice, owned: stack.move(), log });
  // Loading the framework takes a second. The agent joins and greets meanwhile.
  if (voice || hearing)
    framework().catch((error: unknown) =>
      log(`loading LiveKit framework failed: ${String(error)}`),
    );
  if (isWithoutServer(config)) {
    const state = { state: 'degraded', reason: 'no_speech_server', message: NO_SERVER } as const;
    conversing.report(agentStateEvent(new Date().toISOString(), state));
  }
  return agent;
}

function isWithoutServer({ settings, localSpeechUrl }: Config): boolean {
  return (
    hearingEndpoint(settings.speechToText, localSpeechUrl) === 'missing' ||
    speakingEndpoint(settings.speech, localSpeechUrl) === 'missing'
  );
}

function openVoice(
  { settings, localSpeechUrl }: Config,
  { report, framework, log }: Links,
  stack: AsyncDisposableStack,
): RoomVoice | undefined {
  const endpoint = speakingEndpoint(settings.speech, localSpeechUrl);
  if (typeof endpoint === 'string') return undefined;
  const { fetch } = stack.use(fetchOf('TTS_BASE_URL', settings.model.proxies));
  const synthesizer = new Synthesizer(endpoint, fetch);
  const health = stack.use(
    new EndpointHealth({
      reason: 'voice_lost',
      lost: () => 'I cannot speak at the moment: I write instead.',
      recovered: 'I can speak again.',
      async probe(signal) {
        await framework();
        await synthesizer.probe(signal);
      },
      report,
      log,
    }),
  );
  return new RoomVoice({
    synthesize: (text, signal) => synthesizer.synthesize(text, signal),
    openSpokenText: () => openSpokenText(framework),
    isWorking: () => health.isWorking,
    failed: (error) => health.failed(error),
    log,
  });
}

function openHearing(
  { settings, localSpeechUrl }: Config,
  { report, said, speaks, hears, framework, log }: Links,
  voice: RoomVoice | undefined,
  stack: AsyncDisposableStack,
): RoomHearing | undefined {
  const endpoint = hearingEndpoint(settings.speechToText, localSpeechUrl);
  if (typeof endpoint === 'string') return undefined;
  const { language } = settings.persona;
  const { fetch } = stack.use(fetchOf('STT_BASE_URL', settings.model.proxies));
  const transcriber = new Transcriber({ endpoint, fetch, language });
  const closing = new AbortController();
  const health: EndpointHealth = stack.use(
    new EndpointHealth({
      reason: 'hearing_lost',
      lost: (error) => (isUnknownLanguage(error) ? LANGUAGE_LOST : HEARING_LOST),
      recovered: 'I can hear again.',
      async probe(signal) {
        await framework();
        await transcriber.transcribe(new Int16Array(INCOMING_RATE), signal);
      },
      report(event) {
        report(event);
        hears(health.isWorking);
      },
      log,
    }),
  );
  const transcribe = async (samples: Int16Array) => {
    try {
      return await transcriber.transcribe(samples, closing.signal);
    } catch (error) {
      if (!closing.signal.aborted) {
        health.failed(error);
        hears(false);
      }
      return '';
    }
  };
  const events = {
    isAgentSounding: () => voice?.isSounding ?? false,
    speaks,
    talksOver: (turn: object) => voice?.hold(turn),
    saidNothing: (turn: object) => voice?.resume(turn),
    said,
    transcribe,
  };
  stack.defer(() => closing.abort());
  const failed = (error: unknown) => health.failed(error);
  return new RoomHearing({ framework, language, times: settings.turns, events, failed, log });
}

function isUnknownLanguage(error: unknown): boolean {
  return error instanceof SpeechFailure && error.code === 'language';
}

function fetchOf(variable: string, proxies: Readonly<Record<string, string>>): EndpointFetch {
  return openEndpointFetch({ variable, proxies });
}
