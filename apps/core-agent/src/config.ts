import { readBoth } from '@session/agent-kit';
import { type ConversationConfig, loadConfig as loadShared } from '@session/agent-kit/conversation';
import { readEnv } from '@session/kit';
import * as z from 'zod';

export interface Config extends ConversationConfig {
  readonly localSpeechUrl: string | undefined;
}

const Platform = z.object({
  AGENT_SPEECH_URL: z
    .url({
      protocol: /^https?$/,
      error: 'the address of the local speech server, as http://HOST:PORT/v1',
    })
    .optional(),
});

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const [shared, platform] = readBoth(
    () => loadShared(env),
    () => readEnv(Platform, env),
  );
  return { ...shared, localSpeechUrl: platform.AGENT_SPEECH_URL };
}
